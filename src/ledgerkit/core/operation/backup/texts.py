"""Ids of the messages about backups; their texts are in the catalogues."""

from ledgerkit.texts import MessageId


class BackupMsg(MessageId):
    TABLES_DIFFER = "backup.tables_differ"
    FILE_OUTSIDE = "backup.file_outside"
    BACKUP_NEEDS_OWNER = "backup.backup_needs_owner"
    UNREADABLE = "backup.unreadable"
    NOT_WRITABLE = "backup.not_writable"
    DAMAGED = "backup.damaged"
    NO_TABLES = "backup.no_tables"
    EXISTS = "backup.exists"
    NOT_EMPTY = "backup.not_empty"
    OTHER_KEY = "backup.other_key"
    INSIDE_DATA_DIRECTORY = "backup.inside_data_directory"
    NOT_A_BACKUP = "backup.not_a_backup"
    INCOMPLETE = "backup.incomplete"
    RESTORE_NEEDS_OWNER = "backup.restore_needs_owner"
    SERVER_RUNNING = "backup.server_running", "servers"
    NEWER_FORMAT = "backup.newer_format"
    EARLIER_VERSION = "backup.earlier_version"
    NEWER_VERSION = "backup.newer_version"
    TABLE_LEFT_OUT = "backup.table_left_out"
    ROWS_COPIED = "backup.rows_copied", "count"
    FILES_STORED = "backup.files_stored", "count"
    FILES_RESTORED = "backup.files_restored", "count"
