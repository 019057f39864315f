import { useMay } from "../app/session";
import { useEnvironment } from "../texts/environment";
import { FilterTabs, useFilters } from "../ui/filters";
import { Loaded } from "../ui/Loaded";
import { Status } from "../ui/notices";
import { Page } from "../ui/page";
import { ChainView } from "./ChainView";
import { Events } from "./Events";
import { GoLive } from "./GoLive";
import { ProducerDeclaration } from "./ProducerDeclaration";
import { useProviders } from "./queries";
import { Records } from "./Records";
import { Standing } from "./Standing";
import { useEinvoiceText } from "./texts";
import "./einvoice.css";

const VIEWS = ["records", "chain", "events", "producer", "live"] as const;

function Environment() {
  const say = useEinvoiceText();
  const environment = useEnvironment();
  return (
    <>
      <Status tone={environment === "production" ? "good" : "caution"}>
        {say("environment")}: {say(environment)}
      </Status>
      {environment === "sandbox" && <> {say("nothingLeaves")}</>}
    </>
  );
}

/** Fiscal records: how they stand at the tax agency, what has to be mended, and the chain that they make. */
export function EInvoicing() {
  const say = useEinvoiceText();
  const { get } = useFilters();
  const providers = useProviders();
  const mayGoLive = useMay("einvoice:go-live");
  const views = VIEWS.filter((view) => view !== "live" || mayGoLive);
  const view = views.find((view) => view === get("view")) ?? "records";
  return (
    <Page title={say("title")} lead={<Environment />}>
      <Loaded query={providers} lines={1}>
        {(loaded) => <Standing providers={loaded} />}
      </Loaded>
      <FilterTabs
        label={say("views")}
        name="view"
        tabs={views.map((value) => ({ value: value === "records" ? "" : value, label: say(value) }))}
      />
      {view === "records" && <Records />}
      {view === "chain" && <ChainView certificate={providers.data?.certificate ?? null} />}
      {view === "events" && <Events />}
      {view === "producer" && <ProducerDeclaration obligations={providers.data?.obligations ?? []} />}
      {view === "live" && <GoLive />}
    </Page>
  );
}
