import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ComponentProps, useState } from 'react';
import { type ActionFilter, countsQuery, ledgersQuery } from '../../api/queries.ts';
import { localTime, sentenceText } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { Input, Select } from '../../ui/field.tsx';
import { Pills } from '../../ui/pills.tsx';

const route = getRouteApi('/frame/actions');

/** Those that few look for by; they stand open where one of them is set. */
const rare = ['stage', 'reason', 'contract', 'intent', 'caller', 'from', 'to'] as const;

export function Filters({ filter }: { filter: ActionFilter }) {
  const navigate = route.useNavigate();
  const ledgers = useQuery(ledgersQuery());
  const counts = useQuery(countsQuery());
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
        <Select
          label="Kind"
          hideLabel
          value={filter.type ?? ''}
          onChange={({ target }) => set({ type: target.value })}
        >
          <option value="">Every kind</option>
          <option value="transfer">Transfers</option>
          <option value="contract_call">Calls</option>
          <option value="contract_deploy">Deployments</option>
        </Select>
        <Select
          label="Ledger"
          hideLabel
          value={filter.ledgerId ?? ''}
          onChange={({ target }) => set({ ledgerId: target.value })}
        >
          <option value="">Every ledger</option>
          {ledgers.data?.map(({ ledgerId, name }) => (
            <option key={ledgerId} value={ledgerId}>
              {name}
            </option>
          ))}
        </Select>
        <FilterText
          label="Wallet"
          hideLabel
          placeholder="Wallet"
          value={filter.wallet ?? ''}
          set={(wallet) => set({ wallet })}
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
          <Select
            label="Where it stands"
            value={filter.stage ?? ''}
            onChange={({ target }) => set({ stage: target.value })}
          >
            <option value="">Anywhere</option>
            <option value="blocked">Waits for other actions</option>
            <option value="ready">Waits for its signature</option>
            <option value="signed">Waits for the ledger</option>
          </Select>
          <Select
            label="Why it waits"
            value={filter.reason ?? ''}
            onChange={({ target }) => set({ reason: target.value })}
          >
            <option value="">Any reason, or none</option>
            {reasons.map((reason) => (
              <option key={reason} value={reason}>
                {sentenceText(reason)}
              </option>
            ))}
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
            hint="Its id or address."
            value={filter.contract ?? ''}
            set={(contract) => set({ contract })}
          />
          <FilterText
            label="Sent by"
            hint="The service id of a person or an account."
            value={filter.caller ?? ''}
            set={(caller) => set({ caller })}
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
                Clear these
              </Button>
            </div>
          ) : null}
        </div>
      </details>
    </search>
  );
}

/** @returns '' of no time */
function instantOf(text: string): string {
  return text === '' ? '' : new Date(text).toISOString();
}

/** A text by which is looked when it is whole: at Enter, or as the field is left. */
function FilterText({
  value,
  set,
  ...rest
}: Omit<ComponentProps<typeof Input>, 'value' | 'onChange'> & {
  value: string;
  set: (text: string) => void;
}) {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  if (value !== known) {
    // It was changed elsewhere, as by a link.
    setKnown(value);
    setTyped(value);
  }
  const look = () => {
    if (typed.trim() !== value) set(typed.trim());
  };
  return (
    <Input
      {...rest}
      autoComplete="off"
      value={typed}
      onChange={({ target }) => setTyped(target.value)}
      onBlur={look}
      onKeyDown={({ key }) => {
        if (key === 'Enter') look();
      }}
    />
  );
}
