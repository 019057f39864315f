import stat
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import SMTP
from pathlib import Path

import pytest

from ledgerkit.core.platform.mail import Attachment, Delivery, Mail
from ledgerkit.problems import BadGateway, Code, Invalid, StorageFull
from support.disks import FILLER, clear, fill, small_disk

MAIL = Mail(
    to="cliente@ejemplo.es",
    subject="Factura 1",
    text="Hola",
    attachments=(Attachment("1.pdf", "application/pdf", b"%PDF"),),
)


def kept(receipt):
    path = Path(receipt.where)
    return path, path.read_bytes(), stat.S_IMODE(path.stat().st_mode)


async def test_without_a_mail_server_the_mail_is_a_file_and_the_receipt_says_so(mailer, tmp_path):
    receipt = await mailer().send(MAIL)

    path, content, mode = kept(receipt)
    message = BytesParser(EmailMessage, policy=SMTP).parsebytes(content)
    assert receipt.delivered_to is Delivery.FILE
    assert list((tmp_path / "mail").iterdir()) == [path]
    assert path.suffix == ".eml"
    assert path.name.startswith(receipt.accepted_at.strftime("%Y%m%dT"))
    assert mode == 0o600
    assert (message["Subject"], message["Message-ID"]) == ("Factura 1", receipt.message_id)
    assert next(message.iter_attachments()).get_content() == b"%PDF"


async def test_every_mail_has_its_own_file(mailer, tmp_path):
    for _ in range(3):
        await mailer().send(MAIL)

    assert len(list((tmp_path / "mail").glob("*.eml"))) == 3


async def test_a_write_error_fails_the_mail_and_leaves_no_partial_file(mailer, tmp_path):
    (tmp_path / "mail").write_text("in the way")

    with pytest.raises(BadGateway, match="could not be written") as caught:
        await mailer().send(MAIL)

    assert caught.value.code is Code.MAIL_FAILED
    assert [path.name for path in tmp_path.iterdir()] == ["mail"]


async def test_a_full_disk_is_reported_as_such_and_leaves_no_partial_file(mailer, tmp_path):
    with small_disk(tmp_path / "mail", 1) as disk:
        fill(disk)
        with pytest.raises(StorageFull) as caught:
            await mailer().send(MAIL)
        remaining_files = [path.name for path in disk.iterdir()]
        clear(disk)
        receipt = await mailer().send(MAIL)

    assert caught.value.code is Code.STORAGE_FULL
    assert remaining_files == [FILLER]
    assert receipt.delivered_to is Delivery.FILE


async def test_a_wrong_address_leaves_no_file(mailer, tmp_path):
    with pytest.raises(Invalid):
        await mailer().send(Mail(to="nobody", subject="s", text="t"))

    assert not (tmp_path / "mail").exists()
