import type { ComponentType } from "react";
import { Link, useParams } from "react-router";
import { NotFound } from "../app/lost";
import { useSession } from "../app/session";
import { Page } from "../ui/page";
import { Tabs } from "../ui/Tabs";
import { Activity } from "./Activity";
import { AiSettings } from "./AiSettings";
import { ApiKeys } from "./ApiKeys";
import { ApprovalPolicy } from "./ApprovalPolicy";
import { Assistants } from "./Assistants";
import { BusinessContext } from "./BusinessContext";
import { Certificate } from "./Certificate";
import { Chats } from "./chats/Chats";
import { Company } from "./Company";
import { MailSettings } from "./MailSettings";
import { MyAccount } from "./MyAccount";
import { MyData } from "./MyData";
import { useText, type SettingsText } from "./texts";
import "./settings.css";

interface Section {
  path: string;
  text: SettingsText;
  permission: string;
  screen: ComponentType;
}

const SECTIONS: readonly Section[] = [
  { path: "company", text: "companySection", permission: "team:read", screen: Company },
  { path: "mail", text: "mailSection", permission: "team:write", screen: MailSettings },
  { path: "certificate", text: "certificateSection", permission: "einvoice:manage", screen: Certificate },
  { path: "ai", text: "aiSection", permission: "team:read", screen: AiSettings },
  { path: "context", text: "contextSection", permission: "context:read", screen: BusinessContext },
  { path: "keys", text: "keysSection", permission: "login:use", screen: ApiKeys },
  { path: "assistants", text: "assistantsSection", permission: "login:use", screen: Assistants },
  { path: "chats", text: "chatsSection", permission: "login:use", screen: Chats },
  { path: "approvals", text: "approvalsSection", permission: "team:write", screen: ApprovalPolicy },
  { path: "activity", text: "activitySection", permission: "activity:read", screen: Activity },
  { path: "account", text: "accountSection", permission: "login:use", screen: MyAccount },
  { path: "data", text: "dataSection", permission: "login:use", screen: MyData },
];

/** The settings, a section at a time; sections that the role may not open are not offered. */
export function Settings() {
  const say = useText();
  const { section } = useParams();
  const { permissions } = useSession().session;
  const offered = SECTIONS.filter((section) => permissions.includes(section.permission));
  const chosen = offered.find((entry) => entry.path === section);
  if (!chosen) return <NotFound />;
  const Screen = chosen.screen;
  return (
    <Page title={`${say("title")}: ${say(chosen.text)}`}>
      <Tabs label={say("title")} chosen={chosen.path}>
        {offered.map((entry) => (
          <Link
            key={entry.path}
            to={`/settings/${entry.path}`}
            aria-current={entry === chosen ? "page" : undefined}
          >
            {say(entry.text)}
          </Link>
        ))}
      </Tabs>
      <Screen />
    </Page>
  );
}
