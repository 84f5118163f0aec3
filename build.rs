//! Links the binary statically on Linux with glibc, where the archives are at hand.
//!
//! A hook is a process for every event, and loading the shared C library is a
//! good part of what such a process costs. `+crt-static` would say so in one word,
//! but Cargo then passes it to procedural macros as well, unless every user
//! names a `--target`. So the libraries that rustc asks for by name are looked
//! up in a folder of linker scripts first, and those name the archives.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// What rustc links every program of this target with, after `std` itself.
const PARTS_OF_LIBC: [&str; 5] = ["util", "rt", "pthread", "m", "dl"];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    let glibc = is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu");
    // Another target's archives are not where this machine's compiler looks.
    if glibc && is("HOST", &env::var("TARGET")?) {
        let folder = Path::new(&env::var("OUT_DIR")?).join("static");
        link_statically(&folder)?;
    }
    Ok(())
}

fn link_statically(folder: &Path) -> Result<(), Box<dyn Error>> {
    let archives = |names: &[&str]| names.iter().map(|name| archive(name)).collect();
    let parts: Option<Vec<PathBuf>> = archives(&PARTS_OF_LIBC);
    let libc: Option<Vec<PathBuf>> = archives(&["c", "gcc_eh", "gcc"]);
    let (Some(parts), Some(libc)) = (parts, libc) else {
        return Ok(()); // Fedora keeps them in glibc-static: a dynamic binary works as well.
    };
    fs::create_dir_all(folder)?;
    for (name, part) in PARTS_OF_LIBC.iter().zip(&parts) {
        script(folder, name, std::slice::from_ref(part))?;
    }
    script(folder, "gcc_s", &libc)?;
    script(folder, "c", &libc)?;
    // At a fixed place, as Go's programs are: relocating 2,000 pointers dirties
    // a dozen pages, for 40 µs.
    println!("cargo::rustc-link-arg-bins=-no-pie");
    println!("cargo::rustc-link-arg-bins=-static");
    println!("cargo::rustc-link-arg-bins=-L{}", folder.display());
    // rustc's last word was -Bdynamic, which mold takes for the whole program's:
    // it then leaves out what the start-up code of a static one needs.
    println!("cargo::rustc-link-arg-bins=-Wl,-Bstatic");
    Ok(())
}

/// Where the C compiler finds an archive; it echoes a bare name for one that it has not.
fn archive(name: &str) -> Option<PathBuf> {
    let asked = format!("-print-file-name=lib{name}.a");
    let linker = env::var_os("RUSTC_LINKER").unwrap_or_else(|| "cc".into());
    let answer = Command::new(linker).arg(asked).output().ok()?;
    let path = PathBuf::from(String::from_utf8(answer.stdout).ok()?.trim());
    path.is_absolute().then(|| {
        // An upgrade of the compiler moves it.
        println!("cargo::rerun-if-changed={}", path.display());
        path
    })
}

/// A group is searched until nothing is missing: libc and libgcc need each other.
fn script(folder: &Path, name: &str, archives: &[PathBuf]) -> std::io::Result<()> {
    let paths: Vec<_> = archives
        .iter()
        .map(|path| format!("\"{}\"", path.display()))
        .collect();
    fs::write(
        folder.join(format!("lib{name}.a")),
        format!("GROUP({})\n", paths.join(" ")),
    )
}
