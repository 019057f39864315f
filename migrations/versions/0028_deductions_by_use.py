"""Deductible shares of supplier invoices by rate and use, stored with each invoice.

For those that were recorded before, they are what reports have computed: the invoice's percentage of each rate, the
largest rate taking the cents that make up its deductible tax.
"""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None

SHARES = """
    select i.id, t.rate, t.base, t.amount as tax,
        case when i.reverse_charge or i.intra_eu <> 'none' then 0.00 else coalesce(t."surchargeAmount", 0.00) end
            as surcharge,
        case when i.reverse_charge or i.intra_eu <> 'none' then null else t."surchargeRate" end as surcharge_rate,
        round(t.base * i.deductible_percent / 100, 2) as deductible_base,
        round(t.amount * i.deductible_percent / 100, 2) as share,
        row_number() over (partition by i.id order by abs(t.amount) desc, t.rate, t.base) as place,
        i.deductible_tax_amount, i.investment_good
    from supplier_invoice i,
        json_to_recordset(i.tax_breakdown)
            as t(rate numeric, base numeric, amount numeric, "surchargeAmount" numeric, "surchargeRate" numeric)
"""

DEDUCTIONS = """
with shares as ({shares})
update supplier_invoice set deductions = filled.deductions from (
    select id, json_agg(
        json_build_object(
            'rate', rate, 'base', base, 'tax', tax,
            'surchargeRate', surcharge_rate, 'surcharge', surcharge, 'deductibleBase', deductible_base,
            'deductibleTax', share + case when place = 1 then deductible_tax_amount - whole else 0 end,
            'investmentGood', investment_good, 'usefulLifeYears', null
        ) order by place
    ) as deductions
    from (select *, sum(share) over (partition by id) as whole from shares) completed
    group by id
) filled where filled.id = supplier_invoice.id
"""

ITEMS = """
update supplier_invoice set items = (
    select coalesce(
        json_agg(
            item::jsonb || '{"deductiblePercent": null, "investmentGood": null, "usefulLifeYears": null}'::jsonb
            order by place
        ),
        '[]'
    )
    from json_array_elements(items) with ordinality as listed(item, place)
) where json_array_length(items) > 0
"""


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.add_column("supplier_invoice", sa.Column("deductions", sa.JSON(), nullable=True))
    op.execute(DEDUCTIONS.format(shares=SHARES))
    op.execute(ITEMS)
    op.execute("update supplier_invoice set deductions = '[]' where deductions is null")
    op.alter_column("supplier_invoice", "deductions", nullable=False)


def downgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.drop_column("supplier_invoice", "deductions")
