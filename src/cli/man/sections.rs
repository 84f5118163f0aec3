//! The sections that all manual pages share.

/// The titles of the sections, and what is listed in each.
pub const SECTIONS: [(&str, &[(&str, &str)]); 3] = [
    (
        "ENVIRONMENT",
        &[
            (
                "BOARDSYNC_VAULT",
                "The vault; --vault comes before it, SO_VAULT_DIR after it.",
            ),
            (
                "BOARDSYNC_LOCK_FILE",
                "Path of the lock file, instead of board.lock in the vault.",
            ),
            (
                "BOARDSYNC_SKIP_LOCK",
                "If 1, update without the lock; the latch and the check for other writers stay.",
            ),
            (
                "BOARDSYNC_TIMEOUT_MS",
                "EndKind long to wait for the lock, in milliseconds; 5000 unless set, 0 tries once.",
            ),
            (
                "BOARDSYNC_POLL_MS",
                "The longest pause between two tries, in milliseconds; 10 unless set.",
            ),
            (
                "BOARDSYNC_STALE_MS",
                "Age in milliseconds from which a lock of this host is stale; 60000 unless set.",
            ),
            (
                "BOARDSYNC_SYNC",
                "What is synced to disk: full (record, board and folder), board (not the record) or none.",
            ),
            (
                "BOARDSYNC_HOOK_TIMEOUT_MS",
                "EndKind long a hook may take, in milliseconds; 2000 unless set.",
            ),
            (
                "BOARDSYNC_HOOK_END_TIMEOUT_MS",
                "The same for the end of a session; 700 unless set.",
            ),
            (
                "XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_STATE_HOME",
                "Where configuration, the default vault and session leases are kept.",
            ),
            ("NO_COLOR", "If set, no colours are used."),
            (
                "LC_ALL, LC_CTYPE, LANG",
                "The first that is set says whether the terminal shows more than ASCII.",
            ),
        ],
    ),
    (
        "FILES",
        &[
            (
                "VAULT/01-projects/_active-sessions.md",
                "The board, unless --board names another note.",
            ),
            (
                "VAULT/.orchestrator/board.lock",
                "The lock, while it is held.",
            ),
            (
                "VAULT/.orchestrator/board.gate.lock, board.latch.lock",
                "Empty files that carry kernel locks; never deleted.",
            ),
            (
                "VAULT/.orchestrator/backups/",
                "Rows dropped by prune, and boards before a repair.",
            ),
            (
                "VAULT/.orchestrator/merged/",
                "Conflict copies whose rows the board now has.",
            ),
            (
                "~/.config/boardsync/config.toml",
                "Configuration; in Library/Application Support on macOS.",
            ),
            (
                "~/.local/state/boardsync/sessions/",
                "One lease per coding session of this host.",
            ),
            (
                "~/.local/state/boardsync/own-rows/",
                "The rows that this host wrote to each board in the last 7 days.",
            ),
        ],
    ),
    (
        "EXIT STATUS",
        &[
            (
                "0",
                "Success, even if an update failed open: its output says what happened. A hook always exits with 0.",
            ),
            ("1", "An error that the caller should see."),
            ("2", "Usage error."),
            (
                "75",
                "exec --on-timeout fail: the lock could not be acquired, and nothing was run.",
            ),
            ("other", "exec passes on the exit status of its command."),
        ],
    ),
];
