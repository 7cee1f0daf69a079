import { useQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { ledgerHealthQuery } from '../../api/queries.ts';
import { chainFigures } from '../../lib/chain-figures.ts';
import { Badge } from '../../ui/status.tsx';
import { Time } from '../../ui/text.tsx';

/**
 * Reasons and warnings that the server currently reports for a ledger, by the ledger's uid. Empty while the
 * server cannot be reached.
 */
export function useLedgerMessages(): (uid: string) => readonly string[] {
  const { data, isError } = useQuery(ledgerHealthQuery());
  return (uid) => {
    const health = isError ? undefined : data?.ledgers.find((one) => one.uid === uid);
    return [...(health?.reasons ?? []), ...(health?.warnings ?? [])];
  };
}

export function LedgerHealth({ uid }: { uid: string }) {
  const { data, isError } = useQuery(ledgerHealthQuery());
  if (isError) return <Badge>unknown</Badge>;
  if (data === undefined) return <Badge>…</Badge>;
  const health = data.ledgers.find((one) => one.uid === uid);
  if (health !== undefined && health.suspension !== null) return <Badge tone="wait">suspended</Badge>;
  if (health !== undefined && health.reasons.length > 0) return <Badge tone="bad">not working</Badge>;
  if (health !== undefined && health.warnings.length > 0) return <Badge tone="wait">needs attention</Badge>;
  // The server follows a ledger only after its first operation.
  return data.followed.some((one) => one.uid === uid) ? (
    <Badge tone="good">working</Badge>
  ) : (
    <Badge>no data yet</Badge>
  );
}

/** The newest block and the figures of a ledger that the server follows. */
export function LedgerFigures({ uid }: { uid: string }) {
  const { data, isError } = useQuery(ledgerHealthQuery());
  const followed = isError ? undefined : data?.followed.find((one) => one.uid === uid);
  const isFailing = data?.ledgers.some((one) => one.uid === uid && one.reasons.length > 0) === true;
  if (isError || data === undefined) return null;
  if (followed === undefined) {
    return isFailing ? null : (
      <p className="text-xs text-ink-3">Nodes are queried only while the ledger is in use.</p>
    );
  }
  const { height, newestBlockAt } = followed;
  const block =
    height === null || newestBlockAt === null ? null : (
      <>
        {height.toLocaleString()}, <Time at={newestBlockAt} />
      </>
    );
  if (isFailing) {
    return block === null ? null : <p className="text-xs text-ink-3">Last known block {block}</p>;
  }
  return (
    <p className="text-xs text-ink-3">
      {block === null ? 'The plugin reports no blocks' : <>Block {block}</>}
      {chainFigures(followed).map((text) => (
        <Fragment key={text}>
          {' · '}
          <span className="whitespace-nowrap">{text}</span>
        </Fragment>
      ))}
    </p>
  );
}
