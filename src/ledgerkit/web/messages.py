"""Ids of the messages of the page without the web app; their texts are in the catalogues."""

from ledgerkit.texts import MessageId


class WebMsg(MessageId):
    NOT_BUILT = "web.not_built"
    WORKS_WITHOUT = "web.works_without"
    BUILD_IT = "web.build_it"
    TO_THE_DOCS = "web.to_the_docs"
