"""Ids of the messages about settings, starts and observation of the server; their texts stand in the catalogues."""

from ledgerkit.texts import MessageId


class ServerMsg(MessageId):
    SECRET_KEY_TOO_SHORT = "server.secret_key_too_short"
    METRICS_PORT_IS_PORT = "server.metrics_port_is_port"
    METRICS_PORT_UNUSABLE = "server.metrics_port_unusable"
    NO_POSTGRESQL = "server.no_postgresql"
    METRICS_PORT_TAKEN = "server.metrics_port_taken"
    VALUE_UNFIT = "server.value_unfit"
    VALUE_NOT_ALLOWED = "server.value_not_allowed"
    TEXT_AT_MOST = "server.text_at_most"
    NUMBER_BETWEEN = "server.number_between"
    NUMBER_AT_LEAST = "server.number_at_least"
    KIND_WHOLE_NUMBER = "server.kind_whole_number"
    KIND_NUMBER = "server.kind_number"
    KIND_SECRET = "server.kind_secret"
    KIND_PATH = "server.kind_path"
    KIND_DATE = "server.kind_date"
    KIND_TEXT = "server.kind_text"
    DATABASE_SCHEME = "server.database_scheme"
    SECRET_TOO_SHORT = "server.secret_too_short"
    PROXY_MALFORMED = "server.proxy_malformed"
    PROXY_EVERYBODY = "server.proxy_everybody"
    TRACES_PROTOCOL = "server.traces_protocol"
    TRACES_EXTRA_MISSING = "server.traces_extra_missing"
