import { useQuery } from '@tanstack/react-query';
import { readinessQuery } from '../../api/queries.ts';
import { Badge } from '../../ui/status.tsx';

/** The reasons and warnings that the server that answers gives of a ledger now. */
export function useSaidOf(): (ledgerId: string) => readonly string[] {
  const readiness = useQuery(readinessQuery());
  const told = [...(readiness.data?.reasons ?? []), ...(readiness.data?.warnings ?? [])];
  return (ledgerId) =>
    told.flatMap((text) => (text.startsWith(`${ledgerId}: `) ? [text.slice(ledgerId.length + 2)] : []));
}

export function LedgerHealth({ ledgerId }: { ledgerId: string }) {
  const said = useSaidOf()(ledgerId);
  return said.length === 0 ? <Badge tone="good">working</Badge> : <Badge tone="wait">needs attention</Badge>;
}
