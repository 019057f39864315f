"""Settings of the VERI*FACTU channel: environment variables with the prefix `LEDGERKIT_VERIFACTU_`."""

import re
from collections.abc import Mapping, Sequence
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import (
    AfterValidator,
    AnyUrl,
    Field,
    SecretStr,
    TypeAdapter,
    UrlConstraints,
    ValidationError,
    field_validator,
)
from pydantic_settings import BaseSettings, SettingsConfigDict

from ledgerkit import __version__
from ledgerkit.problems import Internal
from ledgerkit.providers.api import SETTING_MISSING, SETTING_WRONG, Access, Environment, FieldProblem, Party
from ledgerkit.providers.es import tax_ids
from ledgerkit.providers.es.verifactu import HELP, PREFIX
from ledgerkit.providers.es.verifactu.messages import VerifactuMsg
from ledgerkit.providers.es.verifactu.setup import Endpoint, LegalDates, ProducerFacts, Software
from ledgerkit.settings.values import UnfitValueError, faults
from ledgerkit.texts import MessageId, ProblemText, Text, text

DEMO_PRODUCER_NAME = "Demo producer (sandbox only)"
DEMO_PRODUCER_TAX_ID = "89890003T"
"""The producer of the AEAT's own sample records; named in sandbox records when none is configured."""

_PATH = "/wlpl/TIKE-CONT/ws/SistemaFacturacion/VerifactuSOAP"


class CertificateKind(StrEnum):
    """Kind of certificate: the AEAT has one host for persons and representatives and another one for entity seals."""

    PERSON = "person"
    SEAL = "seal"


class SignedMode(StrEnum):
    ON = "on"
    OFF = "off"


_HOSTS = {
    (Environment.PRODUCTION, CertificateKind.PERSON): "www1.agenciatributaria.gob.es",
    (Environment.PRODUCTION, CertificateKind.SEAL): "www10.agenciatributaria.gob.es",
    (Environment.TEST, CertificateKind.PERSON): "prewww1.aeat.es",
    (Environment.TEST, CertificateKind.SEAL): "prewww10.aeat.es",
}
"""Hosts of the service by environment and kind of certificate. Source: SistemaFacturacion.wsdl, sfVerifactu."""

_ADDRESS: TypeAdapter[AnyUrl] = TypeAdapter(
    Annotated[AnyUrl, UrlConstraints(allowed_schemes=["https"], host_required=True)]
)


def _https(value: str | None) -> str | None:
    """Check that an address is https: a wrong one shows at start, not at the first invoice."""
    if value is not None:
        try:
            _ADDRESS.validate_python(value)
        except ValidationError:
            raise UnfitValueError(VerifactuMsg.URL_NOT_HTTPS) from None
    return value


def _two_characters(value: str) -> str:
    if not re.fullmatch("[A-Z0-9]{2}", value):
        raise UnfitValueError(VerifactuMsg.SYSTEM_ID_FORM)
    return value


class VerifactuSettings(BaseSettings):
    """Environment variables of the channel, read once, then frozen. Nothing is needed in the sandbox."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_file=".env", extra="ignore", frozen=True, env_ignore_empty=True
    )

    url: Annotated[str | None, Field(description=HELP["url"]), AfterValidator(_https)] = None
    ca_file: Annotated[Path | None, Field(description=HELP["ca_file"])] = None
    cert_file: Annotated[Path | None, Field(description=HELP["cert_file"])] = None
    cert_password: Annotated[SecretStr | None, Field(description=HELP["cert_password"])] = None
    cert_kind: Annotated[CertificateKind, Field(description=HELP["cert_kind"])] = CertificateKind.PERSON
    signed_mode: Annotated[SignedMode, Field(description=HELP["signed_mode"])] = SignedMode.OFF
    representative_name: Annotated[str | None, Field(max_length=120, description=HELP["representative_name"])] = None
    representative_tax_id: Annotated[str | None, Field(description=HELP["representative_tax_id"])] = None
    producer_name: Annotated[str | None, Field(max_length=120, description=HELP["producer_name"])] = None
    producer_tax_id: Annotated[str | None, Field(description=HELP["producer_tax_id"])] = None
    system_name: Annotated[str, Field(min_length=1, max_length=30, description=HELP["system_name"])] = "ledgerkit"
    system_id: Annotated[str, Field(description=HELP["system_id"]), AfterValidator(_two_characters)] = "LK"
    system_components: Annotated[
        str | None, Field(min_length=1, max_length=4000, description=HELP["system_components"])
    ] = None
    producer_address: Annotated[str | None, Field(max_length=500, description=HELP["producer_address"])] = None
    producer_contact: Annotated[str | None, Field(max_length=500, description=HELP["producer_contact"])] = None
    producer_web: Annotated[str | None, Field(max_length=500, description=HELP["producer_web"])] = None
    declaration_place: Annotated[str | None, Field(max_length=200, description=HELP["declaration_place"])] = None
    declaration_date: Annotated[date | None, Field(description=HELP["declaration_date"])] = None
    obliged_companies_from: Annotated[date | None, Field(description=HELP["obliged_companies_from"])] = None
    obliged_others_from: Annotated[date | None, Field(description=HELP["obliged_others_from"])] = None
    obliged_announced: Annotated[str | None, Field(max_length=500, description=HELP["obliged_announced"])] = None

    @property
    def signs(self) -> bool:
        return self.signed_mode is SignedMode.ON

    def software(self, environment: Environment) -> Software:
        name, tax_id = self.producer_name, self._producer_nif()
        if environment is Environment.SANDBOX:
            name, tax_id = name or DEMO_PRODUCER_NAME, tax_id or DEMO_PRODUCER_TAX_ID
        if not name or tax_id is None:
            raise Internal(
                VerifactuMsg.PRODUCER_UNKNOWN,
                environment=environment,
                name=f"{PREFIX}PRODUCER_NAME",
                tax_id=f"{PREFIX}PRODUCER_TAX_ID",
            )
        return Software(
            producer_name=name,
            producer_tax_id=tax_id,
            system_name=self.system_name,
            system_id=self.system_id,
            version=__version__,
            only_reporting=not self.signs,
        )

    def endpoint(self, environment: Environment, issuer_access: Access | None = None) -> Endpoint | None:
        kind = (
            self.cert_kind
            if issuer_access is None
            else (CertificateKind.SEAL if issuer_access.seal else CertificateKind.PERSON)
        )
        host = _HOSTS.get((environment, kind))
        url = self.url or (f"https://{host}{_PATH}" if host else None)
        if url is None:
            return None
        password = self.cert_password.get_secret_value() if self.cert_password else None
        return Endpoint(
            url=url,
            ca_file=self.ca_file,
            certificate_file=self.cert_file,
            password=password,
            issuer_access=issuer_access,
        )

    def missing(self, environment: Environment, *, own_certificate: bool = False) -> Sequence[FieldProblem]:
        if environment is Environment.SANDBOX:
            return ()
        required_values: dict[str, object] = {
            "PRODUCER_NAME": self.producer_name,
            "PRODUCER_TAX_ID": self._producer_nif(),
            "CERT_FILE": own_certificate or self.cert_file,
        }
        if not own_certificate and (self.representative_name or self.representative_tax_id):
            representative = self.representative()
            required_values |= {
                "REPRESENTATIVE_NAME": self.representative_name,
                "REPRESENTATIVE_TAX_ID": representative is not None or not self.representative_name,
            }
        return [_unset(name) for name, value in required_values.items() if not value]

    def representative(self) -> Party | None:
        nif = tax_ids.spanish(self.representative_tax_id) if self.representative_tax_id else None
        if not self.representative_name or nif is None:
            return None
        return Party(name=self.representative_name, tax_id=nif, country="ES")

    def producer_facts(self) -> ProducerFacts:
        return ProducerFacts(
            address=self.producer_address,
            contact=self.producer_contact,
            web=self.producer_web,
            components=self.system_components,
            place=self.declaration_place,
            signed_on=self.declaration_date,
        )

    def dates(self) -> LegalDates:
        return LegalDates(
            companies=self.obliged_companies_from, others=self.obliged_others_from, announced=self.obliged_announced
        )

    def _producer_nif(self) -> str | None:
        return tax_ids.spanish(self.producer_tax_id) if self.producer_tax_id else None


class NamedFilesSettings(VerifactuSettings):
    """The settings as a start reads them: a file that cannot be read shows then, not at the first invoice."""

    @field_validator("ca_file", "cert_file")
    @classmethod
    def _readable(cls, value: Path | None) -> Path | None:
        if value is not None:
            try:
                with value.open("rb"):
                    pass
            except OSError as error:
                raise UnfitValueError(VerifactuMsg.FILE_NOT_READABLE, reason=error.strerror) from None
        return value


_UNSET: Mapping[str, MessageId] = {
    "PRODUCER_NAME": VerifactuMsg.PRODUCER_NAME_UNSET,
    "PRODUCER_TAX_ID": VerifactuMsg.PRODUCER_TAX_ID_UNSET,
    "CERT_FILE": VerifactuMsg.CERT_FILE_UNSET,
    "REPRESENTATIVE_NAME": VerifactuMsg.REPRESENTATIVE_NAME_UNSET,
    "REPRESENTATIVE_TAX_ID": VerifactuMsg.REPRESENTATIVE_TAX_ID_UNSET,
}


def _unset(name: str) -> FieldProblem:
    remedy = None if name == "CERT_FILE" else VerifactuMsg.SET_VARIABLE
    return FieldProblem.of(PREFIX + name, SETTING_MISSING, _UNSET[name], remedy=remedy)


def wrong(error: ValidationError) -> list[FieldProblem]:
    """List the variables that cannot be read, for whoever has set them."""
    return [_unreadable(name, refusal) for name, refusal in faults(VerifactuSettings, error)]


def _unreadable(name: str, refusal: Text) -> FieldProblem:
    remedy = text(VerifactuMsg.CORRECT_VARIABLE, field=name)
    return FieldProblem(field=name, code=SETTING_WRONG, text=ProblemText(refusal, remedy))
