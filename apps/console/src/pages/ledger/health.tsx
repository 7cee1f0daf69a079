import { useQuery } from '@tanstack/react-query';
import { readinessQuery } from '../../api/queries.ts';
import { Badge } from '../../ui/status.tsx';

/** The reasons and warnings that the server that answers gives of a ledger now; none where it does not answer. */
export function useSaidOf(): (ledgerId: string) => readonly string[] {
  const { data, isError } = useQuery(readinessQuery());
  const told = data === undefined || isError ? [] : [...data.reasons, ...data.warnings];
  return (ledgerId) =>
    told.flatMap((text) => (text.startsWith(`${ledgerId}: `) ? [text.slice(ledgerId.length + 2)] : []));
}

export function LedgerHealth({ ledgerId }: { ledgerId: string }) {
  const { data, isError } = useQuery(readinessQuery());
  const said = useSaidOf()(ledgerId);
  if (isError) return <Badge>not known</Badge>;
  if (data === undefined) return <Badge>…</Badge>;
  return said.length === 0 ? <Badge tone="good">working</Badge> : <Badge tone="wait">needs attention</Badge>;
}
