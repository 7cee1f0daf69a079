import { useQuery } from '@tanstack/react-query';
import { ledgerHealthQuery } from '../../api/queries.ts';
import { Badge } from '../../ui/status.tsx';

/** The reasons and warnings that the server that answers gives of a ledger now, by its uid; none where it does not answer. */
export function useSaidOf(): (uid: string) => readonly string[] {
  const { data, isError } = useQuery(ledgerHealthQuery());
  return (uid) => {
    const said = isError ? undefined : data?.ledgers.find((one) => one.uid === uid);
    return [...(said?.reasons ?? []), ...(said?.warnings ?? [])];
  };
}

export function LedgerHealth({ uid }: { uid: string }) {
  const { data, isError } = useQuery(ledgerHealthQuery());
  const said = useSaidOf()(uid);
  if (isError) return <Badge>not known</Badge>;
  if (data === undefined) return <Badge>…</Badge>;
  return said.length === 0 ? <Badge tone="good">working</Badge> : <Badge tone="wait">needs attention</Badge>;
}
