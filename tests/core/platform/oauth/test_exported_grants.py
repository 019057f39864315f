"""A person's export names the applications that they have connected, and nobody else's."""

from ledgerkit.core.platform.oauth.grants import operations as grants
from support.oauth import Application, ids


async def test_the_export_of_a_person_lists_their_own_grants(kernel, client, ana, berta):
    application = await Application.registered(client, client_name="Of Ana")
    await application.connected(ana)
    await (await Application.registered(client, client_name="Of Berta")).connected(berta)

    (grant,) = await grants.of_person(kernel, (await ids(ana))[0])

    assert (grant.client_name, grant.account.id) == ("Of Ana", ana.team["id"])
