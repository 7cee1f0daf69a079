import { shortText } from '@ledger-ops/client/text';
import { useQuery } from '@tanstack/react-query';
import { Check, Copy } from 'lucide-react';
import type { ReactNode } from 'react';
import { usePersonName } from '../api/people.ts';
import { ledgersQuery, personQuery } from '../api/queries.ts';
import { useCopy } from './text.tsx';

/** A record's name. Its id is in the tooltip and can be copied with a button that hover or focus shows. */
export function Name({ id, name, children }: { id: string; name: string; children?: ReactNode }) {
  const [isCopied, copy] = useCopy(id);
  const Icon = isCopied ? Check : Copy;
  return (
    <span className="group/name inline-flex max-w-full items-center gap-1" title={id}>
      <span className="min-w-0 wrap-anywhere">{children ?? name}</span>
      <button
        type="button"
        aria-label={isCopied ? 'Copied' : `Copy the id of ${name}`}
        onClick={copy}
        className="grid size-6 shrink-0 place-items-center rounded text-ink-3 opacity-0 group-hover/name:opacity-100 hover:bg-sunken hover:text-ink focus-visible:opacity-100 pointer-coarse:opacity-100"
      >
        <Icon aria-hidden="true" className="size-3.5" />
      </button>
    </span>
  );
}

/** A person or service account, by address or account id. */
export function Person({ id }: { id: string }) {
  const nameOf = usePersonName();
  return <Name id={id} name={nameOf(id)} />;
}

/** Returns the function that names a ledger. Ledgers that the user may not see keep their id. */
export function useLedgerName(): (ledgerId: string) => string {
  const ledgers = useQuery(ledgersQuery()).data;
  return (ledgerId) => ledgers?.find((one) => one.ledgerId === ledgerId)?.name ?? ledgerId;
}

/** A ledger in a table cell: its name, with the id in the tooltip. */
export function LedgerName({ id }: { id: string }) {
  const nameOf = useLedgerName();
  return <span title={id}>{nameOf(id)}</span>;
}

/** Returns the function that names a project: its name, or its id if the user may not see it. */
export function useProjectName(): (projectId: string) => string {
  const projects = useQuery(personQuery()).data?.projects;
  return (projectId) =>
    projectId === 'system'
      ? 'the deployer'
      : (projects?.find((one) => one.projectId === projectId)?.name ?? projectId);
}

/** The owner of a record: a project, or the deployer. */
export function Owner({ projectId }: { projectId: string }) {
  const nameOf = useProjectName();
  return projectId === 'system' ? nameOf(projectId) : <span title={projectId}>{nameOf(projectId)}</span>;
}

/** A name if the record has one, else its shortened id. */
export function NameOrId({ id, name }: { id: string; name: string | null }) {
  return <Name id={id} name={name ?? shortText(id)} />;
}
