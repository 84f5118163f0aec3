//! Everything that is tested from outside, one file a scenario, in one program: it links once.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod bad_sources;
#[cfg(feature = "failpoints")]
mod beside_the_board;
mod board_damage;
mod board_merges;
mod board_properties;
mod board_rules;
mod board_vectors;
mod burst;
#[cfg(feature = "failpoints")]
mod commit_replies;
#[cfg(feature = "failpoints")]
mod commit_rounds;
mod config_choose_vault;
#[cfg(unix)]
mod config_folders;
mod config_session_config;
mod configured_names;
mod conflict_copies;
mod corpus;
#[cfg(feature = "failpoints")]
mod crash_points;
mod doctor;
mod documented_variables;
mod env;
#[cfg(feature = "failpoints")]
mod error_returns;
#[cfg(unix)]
mod exec;
#[cfg(unix)]
mod file_systems;
mod git_merge;
mod help;
mod hook;
mod hook_bad_input;
mod host_names;
mod hostile_git;
#[cfg(unix)]
mod hostile_links;
#[cfg(target_os = "linux")]
mod hostile_project;
#[cfg(target_os = "linux")]
mod hostile_state;
#[cfg(target_os = "linux")]
mod hostile_vault;
mod init;
mod init_agents;
#[cfg(feature = "failpoints")]
mod interleavings;
#[cfg(feature = "failpoints")]
mod journal;
#[cfg(unix)]
#[cfg(feature = "failpoints")]
mod leases;
#[cfg(unix)]
mod leases_kept;
mod ledger_append;
mod ledger_summary;
mod load;
mod lock_library;
#[cfg(feature = "failpoints")]
mod lock_other_records;
mod lock_rules;
mod lock_status;
#[cfg(feature = "failpoints")]
mod lock_steps;
#[cfg(target_os = "linux")]
#[cfg(feature = "failpoints")]
mod lying_fs;
mod many_hosts;
mod merge_resolve;
mod own_rows;
#[cfg(feature = "failpoints")]
mod persons_edits;
#[cfg(unix)]
mod pictures;
mod plug_in;
mod prune;
mod readme;
#[cfg(unix)]
mod recorded;
mod row;
#[cfg(unix)]
mod security;
mod session_bad_input;
mod session_derive;
mod session_enumerate;
mod shared_board;
mod show;
mod status;
#[cfg(unix)]
mod storage;
mod trust;
mod two_sessions;
#[cfg(target_os = "linux")]
mod two_users;
mod update;
mod update_arguments;
#[cfg(unix)]
mod watch;
