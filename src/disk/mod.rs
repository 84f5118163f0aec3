//! The shims through which every name in a vault is read or changed.
