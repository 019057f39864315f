import { useParams } from "react-router";
import { Link } from "react-router";
import { useMay, useTeam } from "../app/session";
import { money, today as todayIn } from "../texts/formats";
import { Loaded } from "../ui/Loaded";
import { Notice, Status } from "../ui/notices";
import { Card, Page } from "../ui/page";
import { ChangedDocuments } from "./ChangedDocuments";
import { BooksChanged, LastChanges } from "./Changes";
import { Choices } from "./Choices";
import { DeclarationActions } from "./DeclarationActions";
import { FormDrawing } from "./FormDrawing";
import { Proposals } from "./Proposals";
import { useDeclaration, type Versioned } from "./queries";
import { RecordList } from "./RecordList";
import { DueDay, State } from "./State";
import { Summary } from "./Summary";
import { useTaxText } from "./texts";
import { WarningDocuments } from "./WarningDocuments";
import { periodName } from "./words";
import "./tax.css";

function Lead({ declaration }: { declaration: Versioned["declaration"] }) {
  const say = useTaxText();
  const { timezone, currency } = useTeam();
  const { status, dueDate, resultKind, totals, origin } = declaration;
  return (
    <p className="tax-lead">
      <State status={status} /> {origin === "external" && <Status tone="plain">{say("external")}</Status>}{" "}
      <strong>
        {say(resultKind)} {resultKind !== "none" && money(Math.abs(totals.result), currency)}
      </strong>{" "}
      {dueDate && (
        <span>
          {say("due")}: <DueDay date={dueDate} today={todayIn(timezone)} isFiled={status === "submitted"} />
        </span>
      )}
    </p>
  );
}

function Warnings({ declaration }: { declaration: Versioned["declaration"] }) {
  const say = useTaxText();
  if (declaration.warnings.length === 0) return null;
  return (
    <Card title={say("warnings")}>
      <div className="stack">
        {declaration.warnings.map((warning) => (
          <Notice key={warning.code + warning.message} tone="caution" title={warning.message}>
            {warning.documentIds.length > 0 && <WarningDocuments ids={warning.documentIds} />}
          </Notice>
        ))}
      </div>
    </Card>
  );
}

function Whole({ versioned }: { versioned: Versioned }) {
  const say = useTaxText();
  const { declaration } = versioned;
  const isDraft = declaration.status === "draft";
  const mayChange = useMay("declarations:write") && isDraft;
  const title = `${declaration.form} ${declaration.formName}, ${periodName(declaration.period, declaration.year, say)}`;
  return (
    <Page
      title={title}
      lead={<Lead declaration={declaration} />}
      actions={<DeclarationActions versioned={versioned} />}
    >
      <BooksChanged declaration={declaration} mayChange={mayChange} />
      <Warnings declaration={declaration} />
      <Proposals declaration={declaration} mayChange={mayChange} />
      <ChangedDocuments declaration={declaration} />
      <FormDrawing versioned={versioned} mayChange={mayChange} />
      {declaration.records.length > 0 && (
        <RecordList records={declaration.records} fields={declaration.recordFields} />
      )}
      <div className="columns">
        <Summary declaration={declaration} />
        <Choices key={versioned.version} versioned={versioned} mayChange={mayChange} />
      </div>
      <LastChanges declaration={declaration} />
    </Page>
  );
}

/** One declaration, box by box, with what to check and the way to file it. */
export function DeclarationScreen() {
  const say = useTaxText();
  const { id = "" } = useParams();
  const query = useDeclaration(id);
  return (
    <div className="stack">
      <p>
        <Link to="/tax">{say("back")}</Link>
      </p>
      <Loaded query={query} lines={16}>
        {(versioned) => <Whole versioned={versioned} />}
      </Loaded>
    </div>
  );
}
