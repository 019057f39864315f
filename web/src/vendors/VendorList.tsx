import { useState } from "react";
import { Link, useNavigate } from "react-router";
import { useMay } from "../app/session";
import { Button } from "../ui/Button";
import { Pager, SearchField, useFilters } from "../ui/filters";
import { Loaded } from "../ui/Loaded";
import { EmptyState } from "../ui/notices";
import { Card, Page } from "../ui/page";
import { Table, type Column } from "../ui/Table";
import { useVendors, type Vendor } from "./queries";
import { useText } from "./texts";
import { VendorDialog } from "./VendorDialog";

function useColumns(): Column<Vendor>[] {
  const say = useText();
  return [
    {
      key: "name",
      title: say("name"),
      isName: true,
      cell: (vendor) => (
        <Link to={`/vendors/${vendor.id}`}>
          <bdi>{vendor.name}</bdi>
        </Link>
      ),
    },
    { key: "taxId", title: say("taxId"), cell: (vendor) => vendor.taxId },
    { key: "city", title: say("city"), isDetail: true, cell: (vendor) => <bdi>{vendor.city}</bdi> },
    { key: "email", title: say("email"), isDetail: true, cell: (vendor) => <bdi>{vendor.email}</bdi> },
    { key: "phone", title: say("phone"), cell: (vendor) => <bdi>{vendor.phone}</bdi> },
  ];
}

/** Those who sell to the company. */
export function VendorList() {
  const say = useText();
  const navigate = useNavigate();
  const { get, page } = useFilters();
  const mayWrite = useMay("vendors:write");
  const vendors = useVendors(page, get("search"));
  const columns = useColumns();
  const [isAdding, setAdding] = useState(false);
  const add = mayWrite && (
    <Button kind="primary" icon="add" onClick={() => setAdding(true)}>
      {say("newVendor")}
    </Button>
  );
  return (
    <Page title={say("title")} actions={add}>
      <SearchField label={say("search")} />
      <Card>
        <Loaded query={vendors} lines={10}>
          {(data) =>
            data.total === 0 ? (
              <EmptyState
                icon="truck"
                title={say(get("search") ? "noMatches" : "empty")}
                action={!get("search") && add}
              />
            ) : (
              <>
                <Table
                  caption={say("title")}
                  columns={columns}
                  rows={data.items}
                  rowKey={(vendor) => vendor.id}
                />
                <Pager {...data} />
              </>
            )
          }
        </Loaded>
      </Card>
      {isAdding && (
        <VendorDialog
          vendor={null}
          onClose={() => setAdding(false)}
          onSaved={(vendor) => void navigate(`/vendors/${vendor.id}`)}
        />
      )}
    </Page>
  );
}
