//! The `vault-integration` block of a repository's `CLAUDE.md` or `AGENTS.md`.
//!
//! The block has many renderings, for it is written by people and by several
//! programs. The rules are those of session-orchestrator 5.3.0, found by giving
//! it the cases of `fixtures/session_config.json`; where it leaves a quote or a
//! cut in a path, the path is read as it was meant, and the fixture says so.

/// The contents of the block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VaultIntegration {
    /// Whether it says `enabled: true`.
    pub enabled: bool,
    /// `vault-dir`, unless it is blank, `none` or `null`.
    pub vault_dir: Option<String>,
    /// `vault-name`, by the same rule.
    pub vault_name: Option<String>,
}

/// The `vault-integration` block of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VaultBlock {
    /// No `vault-integration` at the start of a line.
    Absent,
    /// One in a form that the peer takes for disabled.
    ///
    /// Told apart from [`VaultBlock::Absent`], because somebody has said something
    /// about the vault, and *nothing was said* would be the wrong answer.
    Unreadable,
    /// The block.
    Readable(VaultIntegration),
}

/// Finds the block in the text of a file.
///
/// An inline object anywhere beats a block, then the first of each wins. Code
/// fences and headings mean nothing; HTML comments that begin a line hide what
/// is in them.
pub fn read(text: &str) -> VaultBlock {
    let lines = uncommented_lines(text.strip_prefix('\u{feff}').unwrap_or(text));
    let heads: Vec<(usize, &str)> = lines
        .iter()
        .enumerate()
        .filter_map(|(at, line)| Some((at, after_key(line, "vault-integration")?.trim())))
        .collect();
    let inline = heads.iter().find_map(|(_, rest)| inline_fields(rest));
    if let Some(fields) = inline {
        return VaultBlock::Readable(VaultIntegration::from_inline(&fields));
    }
    match heads.iter().find(|(_, rest)| rest.is_empty()) {
        Some((at, _)) => VaultBlock::Readable(VaultIntegration::from_lines(&lines[at + 1..])),
        None if heads.is_empty() => VaultBlock::Absent,
        None => VaultBlock::Unreadable,
    }
}

/// Finds the paths of `cross-repo.projects` in the text of a file: one list in
/// brackets, on one line of a block. Entries with other characters than those of
/// plain paths are passed over, as by session-orchestrator.
pub fn projects(text: &str) -> Vec<String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._~/-".contains(c);
    let lines = uncommented_lines(text.strip_prefix('\u{feff}').unwrap_or(text));
    let head = lines
        .iter()
        .position(|line| after_key(line, "cross-repo").is_some_and(|rest| rest.trim().is_empty()));
    let Some(head) = head else {
        return Vec::new();
    };
    let list = lines[head + 1..]
        .iter()
        .take_while(|line| line.is_empty() || line.starts_with(char::is_whitespace))
        .find_map(|line| child_value(line.trim(), "projects"))
        .map_or("", |list| list.split('#').next().unwrap_or(list).trim());
    let list = list.strip_prefix('[').unwrap_or(list);
    list.strip_suffix(']')
        .unwrap_or(list)
        .split(',')
        .map(str::trim)
        .filter(|path| !matches!(*path, "" | "none" | "null") && path.chars().all(is_plain))
        .map(str::to_owned)
        .collect()
}

impl VaultIntegration {
    /// Reads `key: value` pairs of an inline object; here case counts, and a
    /// quoted `"true"` is not one.
    fn from_inline(fields: &[(&str, &str)]) -> Self {
        let mut block = Self::default();
        for (key, value) in fields {
            block.set(key, unquoted(value));
            if *key == "enabled" {
                block.enabled = *value == "true";
            }
        }
        block
    }

    /// Reads the indented lines below a head; blank ones do not end them.
    fn from_lines(lines: &[&str]) -> Self {
        let mut block = Self::default();
        for line in lines {
            if line.trim().is_empty() {
                continue;
            }
            if !line.starts_with(char::is_whitespace) {
                break;
            }
            for key in ["enabled", "vault-dir", "vault-name"] {
                if let Some(value) = child_value(line.trim(), key) {
                    let value = unquoted(without_comment(value.trim()));
                    block.set(key, value);
                    if key == "enabled" {
                        block.set_enabled(value);
                    }
                }
            }
        }
        block
    }

    /// Takes one pair; of a key that comes twice the last one stays.
    fn set(&mut self, key: &str, value: &str) {
        let named =
            || Some(value.to_owned()).filter(|v| !matches!(v.as_str(), "" | "none" | "null"));
        match key {
            "vault-dir" => self.vault_dir = named(),
            "vault-name" => self.vault_name = named(),
            _ => {}
        }
    }

    /// Takes `enabled` of a block, where only two words count.
    fn set_enabled(&mut self, value: &str) {
        if value.eq_ignore_ascii_case("true") {
            self.enabled = true;
        } else if value.eq_ignore_ascii_case("false") {
            self.enabled = false;
        }
    }
}

/// Returns the lines that no HTML comment hides.
///
/// A comment begins a line, indented or not, ends on a later one, and hides both
/// and what is between. A comment on one line hides nothing: it is a line that
/// belongs to no block. Where one is never closed, no comment counts.
fn uncommented_lines(text: &str) -> Vec<&str> {
    let lines: Vec<&str> = text.lines().collect();
    let mut shown = Vec::with_capacity(lines.len());
    let mut is_open = false;
    for line in &lines {
        let closes = line.contains("-->");
        if is_open {
            is_open = !closes;
        } else if line.trim_start().starts_with("<!--") && !closes {
            is_open = true;
        } else {
            shown.push(*line);
        }
    }
    if is_open { lines } else { shown }
}

/// Returns what follows the key and its colon where a line begins with them,
/// plain, as `- key:`, `**key:**`, `**key**:` or both.
fn after_key<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let line = match line.strip_prefix('-') {
        Some(rest) if rest.starts_with(char::is_whitespace) => rest.trim_start(),
        Some(_) => return None,
        None => line,
    };
    match line.strip_prefix("**") {
        Some(bold) => bold_value(bold, key),
        None => line.strip_prefix(key)?.strip_prefix(':'),
    }
}

/// Returns the value of a child line, where it is the key's.
///
/// Unlike a head, a plain key may not have a dash; a bold one may.
fn child_value<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let has_dash = line.starts_with('-');
    let value = after_key(line, key)?;
    (!has_dash || line.contains("**")).then_some(value)
}

fn bold_value<'a>(bold: &'a str, key: &str) -> Option<&'a str> {
    let rest = bold.strip_prefix(key)?;
    rest.strip_prefix(":**")
        .or_else(|| rest.strip_prefix("**:"))
}

/// Splits `{ a: b, c: d }`, followed by nothing but a comment, into its pairs.
fn inline_fields(rest: &str) -> Option<Vec<(&str, &str)>> {
    let (body, after) = rest.strip_prefix('{')?.split_once('}')?;
    let after = after.trim_start();
    if body.contains('{') || !(after.is_empty() || after.starts_with('#')) {
        return None;
    }
    Some(
        split_outside_quotes(body)
            .into_iter()
            .filter_map(|pair| pair.split_once(':'))
            .map(|(key, value)| (key.trim(), value.trim()))
            .collect(),
    )
}

/// Splits at commas, but not in a value that begins with a quote.
fn split_outside_quotes(body: &str) -> Vec<&str> {
    let mut quote = None;
    let mut before = ',';
    body.split(|c: char| {
        match quote {
            Some(open) if c == open => quote = None,
            // An apostrophe within a word (`~/Ann's vault`) quotes nothing.
            None if matches!(c, '"' | '\'') && before == ':' => quote = Some(c),
            _ => {}
        }
        if !c.is_whitespace() {
            before = c;
        }
        quote.is_none() && c == ','
    })
    .collect()
}

/// Cuts a value at `#`, unless a closed quote surrounds it.
fn without_comment(value: &str) -> &str {
    if let Some(open @ ('"' | '\'')) = value.chars().next()
        && let Some(close) = value[1..].find(open)
    {
        return &value[..close + 2];
    }
    value.split('#').next().unwrap_or(value).trim_end()
}

/// Takes one pair of equal quotes away.
fn unquoted(value: &str) -> &str {
    ['"', '\'']
        .into_iter()
        .find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote))
        .unwrap_or(value)
}
