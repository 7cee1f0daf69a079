import { useQuery } from '@tanstack/react-query';
import { ledgersQuery, walletsQuery } from '../../api/queries.ts';
import { eventGroups } from '../../api/webhooks.ts';
import { Check } from '../../ui/field.tsx';

/** The filters of a webhook. An empty list matches everything. */
export interface WebhookFilter {
  readonly types: readonly string[];
  readonly ledgers: readonly string[];
  readonly wallets: readonly string[];
}

export const everything: WebhookFilter = { types: [], ledgers: [], wallets: [] };

/** The members of a request. An empty list is omitted, or null if it replaces another list. */
export function filterBody<None>({ types, ledgers, wallets }: WebhookFilter, none: None) {
  const listed = (values: readonly string[]) => (values.length === 0 ? none : values);
  return { types: listed(types), ledgers: listed(ledgers), wallets: listed(wallets) };
}

const toggled = (list: readonly string[], one: string, isChosen: boolean) =>
  isChosen ? [...list, one] : list.filter((other) => other !== one);

/** The events, ledgers and wallets of a webhook. */
export function WebhookFilterFields({
  filter,
  change,
}: {
  filter: WebhookFilter;
  change: (filter: WebhookFilter) => void;
}) {
  const ledgers = useQuery(ledgersQuery()).data ?? [];
  const wallets = useQuery(walletsQuery()).data?.pageContent ?? [];
  return (
    <>
      <fieldset className="min-w-0 space-y-3">
        <legend className="text-sm font-medium">Events</legend>
        <p className="text-xs text-ink-3">
          Choose the events to receive. If you choose none, all events are delivered, including those of
          future versions.
        </p>
        {eventGroups.map(({ title, events }) => (
          <div key={title} className="rounded-lg border border-line p-3">
            <p className="mb-2 text-xs font-medium text-ink-3">{title}</p>
            <div className="space-y-2">
              {events.map(([type, about]) => (
                <Check
                  key={type}
                  label={
                    <>
                      <code className="font-mono text-xs wrap-anywhere">{type}</code>
                      <span className="block text-xs text-ink-2">{about}</span>
                    </>
                  }
                  checked={filter.types.includes(type)}
                  onChange={({ target }) =>
                    change({ ...filter, types: toggled(filter.types, type, target.checked) })
                  }
                />
              ))}
            </div>
          </div>
        ))}
      </fieldset>
      <Choices
        label="Ledgers"
        hint="If you choose none, events of every ledger are delivered."
        options={ledgers.map(({ ledgerId, name }) => [ledgerId, name])}
        chosen={filter.ledgers}
        choose={(chosen) => change({ ...filter, ledgers: chosen })}
      />
      <Choices
        label="Wallets"
        hint="If you choose none, events of every wallet are delivered. Contract events have no wallet, so choosing a wallet excludes them."
        options={wallets.map(({ walletId }) => [walletId, walletId])}
        chosen={filter.wallets}
        choose={(chosen) => change({ ...filter, wallets: chosen })}
      />
    </>
  );
}

function Choices({
  label,
  hint,
  options,
  chosen,
  choose,
}: {
  label: string;
  hint: string;
  options: readonly (readonly [value: string, text: string])[];
  chosen: readonly string[];
  choose: (chosen: readonly string[]) => void;
}) {
  const known = new Set(options.map(([value]) => value));
  // Also shows chosen records that are not in the list, so that they can be removed.
  const shown = [...options, ...chosen.filter((one) => !known.has(one)).map((one) => [one, one] as const)];
  if (shown.length === 0) return null;
  return (
    <fieldset className="min-w-0">
      <legend className="text-sm font-medium">{label}</legend>
      <p className="mb-2 text-xs text-ink-3">{hint}</p>
      <div className="grid max-h-44 gap-2 overflow-y-auto rounded-lg border border-line p-3 sm:grid-cols-2">
        {shown.map(([value, text]) => (
          <Check
            key={value}
            label={<span className="wrap-anywhere">{text}</span>}
            checked={chosen.includes(value)}
            onChange={({ target }) => choose(toggled(chosen, value, target.checked))}
          />
        ))}
      </div>
    </fieldset>
  );
}
