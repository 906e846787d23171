package storage

// Files are locked, synced and renamed as POSIX systems do. Windows has other rules, which
// nothing here is tested for; its Subsystem for Linux is a Linux.
var _ = Windows_is_not_supported_use_Linux_or_macOS
