import { useState } from "react";
import { useNavigate } from "react-router";
import { useDraft } from "../app/drafts";
import { useSession, useTeam } from "../app/session";
import { useCountry } from "../countries/country";
import { asForm, EMPTY_COMPANY, useCurrentTeam, useSaveCompany, type CompanyForm } from "../settings/company";
import { DefaultFields, EmailField, IdentityFields, SeriesFields } from "../settings/CompanyFields";
import { LogoField } from "../settings/LogoField";
import { Button, ButtonLink } from "../ui/Button";
import { Loading, ProblemNotice } from "../ui/notices";
import { Card, Page } from "../ui/page";
import { DemonstrationChoice } from "./DemonstrationChoice";
import { useText, type FirstRunText } from "./texts";
import "./first_run.css";

const STEPS: readonly FirstRunText[] = ["stepAccount", "stepCompany", "stepInvoices", "stepStart"];

function Steps({ present }: { present: number }) {
  const say = useText();
  return (
    <ol className="steps" aria-label={say("steps")}>
      {STEPS.map((step, place) => (
        <li
          key={step}
          aria-current={place === present ? "step" : undefined}
          data-done={place < present || undefined}
        >
          {say(step)}
        </li>
      ))}
    </ol>
  );
}

interface StepProps {
  form: CompanyForm;
  onChange: (changes: Partial<CompanyForm>) => void;
  onNext: () => void;
  isTeam: boolean;
}

function Foot({ busy, onSkip }: { busy: boolean; onSkip: () => void }) {
  const say = useText();
  return (
    <div className="dialog-foot">
      <Button onClick={onSkip}>{say("skip")}</Button>
      <Button type="submit" kind="primary" busy={busy}>
        {say("goOn")}
      </Button>
    </div>
  );
}

function CompanyStep({ form, onChange, onNext, isTeam }: StepProps) {
  const say = useText();
  const save = useSaveCompany(isTeam, onNext);
  return (
    <form
      className="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(form);
      }}
    >
      <Card title={say("stepCompany")}>
        <div className="stack">
          <p className="soft">{say("companyLead")}</p>
          <IdentityFields form={form} onChange={onChange} refused={save.error} />
          <EmailField form={form} onChange={onChange} refused={save.error} />
          <DefaultFields form={form} onChange={onChange} refused={save.error} />
        </div>
      </Card>
      <ProblemNotice error={save.error} />
      <Foot busy={save.isPending} onSkip={onNext} />
    </form>
  );
}

function InvoicesStep({ form, onChange, onNext, isTeam }: StepProps) {
  const say = useText();
  const save = useSaveCompany(isTeam, onNext);
  return (
    <form
      className="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(form);
      }}
    >
      <Card title={say("stepInvoices")}>
        <div className="stack">
          <p className="soft">{say("invoicesLead")}</p>
          <SeriesFields form={form} onChange={onChange} refused={save.error} />
          <LogoField logo={form.logo} onChange={(logo) => onChange({ logo })} />
        </div>
      </Card>
      <ProblemNotice error={save.error} />
      <Foot busy={save.isPending} onSkip={onNext} />
    </form>
  );
}

function StartStep() {
  const say = useText();
  return (
    <>
      <div className="columns">
        <Card title={say("firstInvoice")}>
          <div className="stack">
            <p className="soft">{say("firstInvoiceText")}</p>
            <div className="row">
              <ButtonLink kind="primary" icon="add" to="/invoices/new">
                {say("firstInvoice")}
              </ButtonLink>
            </div>
          </div>
        </Card>
        <Card title={say("demo")}>
          <DemonstrationChoice />
        </Card>
      </div>
      <Card title={say("further")}>
        <div className="row">
          <ButtonLink icon="shield" to="/settings/certificate">
            {say("certificate")}
          </ButtonLink>
          <ButtonLink icon="spark" to="/settings/assistants">
            {say("assistant")}
          </ButtonLink>
          <ButtonLink icon="people" to="/team">
            {say("invite")}
          </ButtonLink>
          <ButtonLink icon="home" to="/">
            {say("home")}
          </ButtonLink>
        </div>
      </Card>
    </>
  );
}

function Wizard({ initial, isTeam }: { initial: CompanyForm; isTeam: boolean }) {
  const say = useText();
  const { session } = useSession();
  const navigate = useNavigate();
  const [step, setStep] = useState(1);
  const [form, setForm, forget] = useDraft(`${session.user?.id}.company`, initial);
  const onChange = (changes: Partial<CompanyForm>) => setForm((before) => ({ ...before, ...changes }));
  function next(): void {
    if (step === STEPS.length - 2) forget();
    setStep(step + 1);
    globalThis.scrollTo(0, 0);
    document.querySelector<HTMLElement>("main h1")?.focus();
  }
  const leave = (
    <Button kind="quiet" onClick={() => void navigate("/")}>
      {say("later")}
    </Button>
  );
  return (
    <Page title={say("title", { name: session.user?.name ?? "" })} actions={leave}>
      <Steps present={step} />
      {step === 1 && <CompanyStep {...{ form, onChange, isTeam }} onNext={next} />}
      {step === 2 && <InvoicesStep {...{ form, onChange, isTeam }} onNext={next} />}
      {step === 3 && <StartStep />}
    </Page>
  );
}

/** From the account to the first invoice in four steps, of which each may be left for later. */
export function Welcome() {
  const { isTeam, company, name, country, timezone } = useTeam();
  const { user } = useSession().session;
  const [wasTeam] = useState(isTeam);
  const team = useCurrentTeam(wasTeam);
  const { data: home, isPending } = useCountry();
  if (wasTeam && team.isError)
    return <ProblemNotice error={team.error} onRetry={() => void team.refetch()} />;
  if (wasTeam ? team.data === undefined : isPending) return <Loading lines={10} />;
  const paymentTermDays = String(home?.paymentTermDays ?? "");
  const known = team.data
    ? asForm(team.data)
    : { ...EMPTY_COMPANY, country, timezone, paymentTermDays, company: company ?? name };
  const initial = { ...known, email: known.email || (user?.email ?? "") };
  return <Wizard initial={initial} isTeam={isTeam} />;
}
