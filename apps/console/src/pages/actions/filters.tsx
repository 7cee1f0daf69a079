import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ComponentProps, useState } from 'react';
import { usePeople } from '../../api/people.ts';
import {
  type ActionFilter,
  contractsQuery,
  countsQuery,
  ledgersQuery,
  walletsQuery,
} from '../../api/queries.ts';
import { localTime } from '../../lib/format.ts';
import { pendingText } from '../../lib/pending-text.ts';
import { Button } from '../../ui/button.tsx';
import { Input, Select } from '../../ui/field.tsx';
import { Pills } from '../../ui/pills.tsx';
import { Suggest } from '../../ui/suggest.tsx';

const route = getRouteApi('/frame/actions');

/** Rarely used filters. They are expanded if one of them is set. */
const rare = ['stage', 'reason', 'contract', 'intent', 'caller', 'from', 'to'] as const;

export function Filters({ filter }: { filter: ActionFilter }) {
  const navigate = route.useNavigate();
  const ledgers = useQuery(ledgersQuery());
  const counts = useQuery(countsQuery());
  const wallets = useQuery(walletsQuery()).data?.pageContent;
  const contracts = useQuery(contractsQuery()).data;
  const people = usePeople();
  const set = (change: Partial<Record<keyof ActionFilter, string>>) =>
    void navigate({
      search: (before) => {
        const { cursor: _, ...kept } = { ...before, ...change };
        return Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== ''));
      },
      replace: true,
    });
  const { status, pending = {} } = counts.data ?? {};
  const states = [
    ['', 'All', undefined],
    ['PENDING', 'Pending', status?.PENDING],
    ['SUCCEEDED', 'Succeeded', status?.SUCCEEDED],
    ['FAILED', 'Failed', status?.FAILED],
    ['CANCELED', 'Canceled', undefined],
  ] as const;
  const reasons = Object.keys(pending).filter((reason) => (pending[reason] ?? 0) > 0);
  if (filter.reason !== undefined && !reasons.includes(filter.reason)) reasons.push(filter.reason);
  const areSet = rare.filter((name) => filter[name] !== undefined).length;
  const [isOpen, setOpen] = useState(areSet > 0);
  return (
    <search className="mb-4 block space-y-3">
      <Pills
        label="State"
        options={states}
        value={filter.status ?? ''}
        choose={(status) => set({ status })}
      />
      <div className="grid grid-cols-2 gap-2 md:grid-cols-4">
        <Select label="Type" hideLabel value={filter.type ?? ''} set={(text) => set({ type: text })}>
          <option value="">Every type</option>
          <option value="transfer">Transfers</option>
          <option value="contract_call">Calls</option>
          <option value="contract_deploy">Deployments</option>
        </Select>
        <Select
          label="Ledger"
          hideLabel
          value={filter.ledgerId ?? ''}
          set={(text) => set({ ledgerId: text })}
          options={ledgers.data?.map(({ ledgerId, name }) => [ledgerId, name])}
        >
          <option value="">Every ledger</option>
        </Select>
        <FilterText
          label="Wallet"
          hideLabel
          placeholder="Wallet"
          value={filter.wallet ?? ''}
          set={(wallet) => set({ wallet })}
          options={wallets?.map((one) => ({ value: one.walletId, detail: one.ledgerId }))}
        />
        <FilterText
          label="Tag"
          hideLabel
          placeholder="Tag"
          value={filter.tag ?? ''}
          set={(tag) => set({ tag })}
        />
      </div>
      <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className="w-fit cursor-pointer text-sm font-medium text-ink-2">
          More filters{areSet === 0 ? '' : `, ${areSet} set`}
        </summary>
        <div className="mt-3 grid gap-3 sm:grid-cols-2 md:grid-cols-4">
          <Select label="Stage" value={filter.stage ?? ''} set={(text) => set({ stage: text })}>
            <option value="">Any stage</option>
            <option value="blocked">Waits for other actions</option>
            <option value="ready">Waits for its signature</option>
            <option value="signed">Waits for the ledger</option>
          </Select>
          <Select
            label="Pending reason"
            value={filter.reason ?? ''}
            set={(text) => set({ reason: text })}
            options={reasons.map((reason) => [reason, pendingText(reason)])}
          >
            <option value="">Any reason</option>
          </Select>
          <FilterText
            label="Accepted from"
            type="datetime-local"
            value={filter.from === undefined ? '' : localTime(filter.from)}
            set={(from) => set({ from: instantOf(from) })}
          />
          <FilterText
            label="Accepted until"
            type="datetime-local"
            value={filter.to === undefined ? '' : localTime(filter.to)}
            set={(to) => set({ to: instantOf(to) })}
          />
          <FilterText
            label="Contract"
            hint="Choose one, or type an id or address."
            value={filter.contract ?? ''}
            set={(contract) => set({ contract })}
            options={contracts?.map((one) => ({ value: one.contractId, name: one.name }))}
          />
          <FilterText
            label="Sent by"
            hint="Choose a person or a service account."
            value={filter.caller ?? ''}
            set={(caller) => set({ caller })}
            options={[...people].map(([value, name]) => ({ value, name }))}
          />
          <FilterText
            label="Intent"
            hint="A UUID."
            value={filter.intent ?? ''}
            set={(intent) => set({ intent })}
          />
          {areSet > 0 ? (
            <div className="self-center">
              <Button onClick={() => set(Object.fromEntries(rare.map((name) => [name, ''])))}>
                Clear these filters
              </Button>
            </div>
          ) : null}
        </div>
      </details>
    </search>
  );
}

/** Converts local time to UTC. @returns an empty string for an empty text */
function instantOf(text: string): string {
  return text === '' ? '' : new Date(text).toISOString();
}

/** A text filter that is applied on Enter, when a suggestion is chosen, or when the field loses focus. */
function FilterText({
  value,
  set,
  options,
  ...rest
}: Omit<ComponentProps<typeof Input>, 'value' | 'onChange'> & {
  value: string;
  set: (text: string) => void;
  options?: ComponentProps<typeof Suggest>['options'];
}) {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  if (value !== known) {
    // The filter was changed elsewhere, for example by a link.
    setKnown(value);
    setTyped(value);
  }
  const look = () => {
    if (typed.trim() !== value) set(typed.trim());
  };
  const apply = {
    value: typed,
    onBlur: look,
    onKeyDown({ key }: { readonly key: string }) {
      if (key === 'Enter') look();
    },
  };
  if (options === undefined) return <Input {...rest} {...apply} autoComplete="off" set={setTyped} />;
  const { label, hint, hideLabel = false, placeholder = '' } = rest;
  return (
    <Suggest
      {...{ label, hint, hideLabel, placeholder, options }}
      {...apply}
      set={(text) => {
        setTyped(text);
        if (options.some((one) => one.value === text)) set(text);
      }}
    />
  );
}
