"""Ids of the messages about commands; their texts stand in the catalogues."""

from ledgerkit.texts import MessageId


class CommandsMsg(MessageId):
    ADDRESS_OF_ANOTHER_MACHINE = "commands.address_of_another_machine"
    PORT_UNUSABLE = "commands.port_unusable"
    HOST_WITHOUT_ADDRESS = "commands.host_without_address"
    OWNER_ADDRESS_NEEDED = "commands.owner_address_needed"
    PORT_TAKEN = "commands.port_taken"
    PORT_FORBIDDEN = "commands.port_forbidden"
    SETTING_CORRECT = "commands.setting_correct"
    SETTING_UNKNOWN = "commands.setting_unknown"
    SETTING_UNKNOWN_SIMILAR = "commands.setting_unknown_similar"
    SETTING_IN_FILE = "commands.setting_in_file"
    SETTING_UNREAD = "commands.setting_unread"
    BACKUP_WRITTEN = "commands.backup_written"
    RESTORED = "commands.restored"
    RESTORED_CERTIFICATE = "commands.restored_certificate"
    NO_EINVOICING = "commands.no_einvoicing"
    DATABASE_CURRENT = "commands.database_current"
    DISK_FULL = "commands.disk_full"
    ACCOUNTS_SEVERAL = "commands.accounts_several"
    ACCOUNTS_NONE = "commands.accounts_none"
    ACCOUNTS_WITHOUT_TAX_ID = "commands.accounts_without_tax_id"
    BANNER = "commands.banner"
