import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CirclePause } from 'lucide-react';
import { call, path } from '../../api/client.ts';
import { suspensionsQuery } from '../../api/installation.ts';
import { usePersonName } from '../../api/people.ts';
import { ledgersQuery, queries } from '../../api/queries.ts';
import type { Schemas } from '../../api/types.ts';
import { buttonClass } from '../../ui/button.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Permitted } from '../../ui/permitted.tsx';
import { Time } from '../../ui/text.tsx';

type Suspension = Schemas['Suspension'];

/**
 * Maximum number of suspensions that are shown as banners. Further ones are only counted, so that the rest of
 * the page stays visible.
 */
const mostBanners = 5;

/**
 * Suspended ledgers, wallets and projects that the user may see, with the reasons, newest first.
 *
 * @param concerns which of them to show; default: all
 */
export function SuspensionBanners({
  concerns = () => true,
}: {
  readonly concerns?: (suspension: Suspension) => boolean;
}) {
  const { data = [] } = useQuery({ ...suspensionsQuery(), refetchInterval: 15_000 });
  const held = data.filter(concerns);
  if (held.length === 0) return null;
  return (
    <ul aria-label="Suspensions" className="mb-5 space-y-2">
      {held.slice(0, mostBanners).map((one) => (
        <Banner key={one.suspensionId} suspension={one} />
      ))}
      {held.length > mostBanners ? (
        <li className="px-4 text-sm text-ink-2">{held.length - mostBanners} more suspensions</li>
      ) : null}
    </ul>
  );
}

function Banner({ suspension }: { suspension: Suspension }) {
  const { createdBy, createdAt, reason } = suspension;
  const personName = usePersonName();
  const who = createdBy === null ? null : createdBy === 'ledger-ops' ? 'the service' : personName(createdBy);
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-3 rounded-xl border border-wait/35 bg-wait-soft px-4 py-3 text-sm">
      <CirclePause aria-hidden="true" className="size-5 shrink-0 self-start text-wait" />
      <div className="min-w-0 flex-1 basis-52">
        <p className="font-medium wrap-anywhere">
          <Subject suspension={suspension} /> is suspended
        </p>
        <p className="wrap-anywhere text-ink-2">{reason}</p>
        <p className="mt-0.5 text-xs wrap-anywhere text-ink-2">
          Suspended <Time at={createdAt} />
          {who === null ? '' : ` by ${who}`}. New operations are accepted and wait.
        </p>
      </div>
      <Resume suspension={suspension} />
    </li>
  );
}

/**
 * Button that resumes the suspended record. Omitted for a ledger that the user may not resume: then the service does
 * not report who suspended it.
 */
function Resume({ suspension }: { suspension: Suspension }) {
  const { suspensionId, ledgerId, walletId, projectId, createdBy, cause } = suspension;
  if (ledgerId !== undefined && createdBy === null) return null;
  // The wallet's page shows the actions to resolve.
  if (walletId !== undefined && cause === 'unknown-transactions')
    return (
      <Link to="/wallets/$walletId" params={{ walletId }} className={buttonClass()}>
        Review transactions
      </Link>
    );
  const name = ledgerId ?? walletId ?? projectId ?? '';
  const button = (
    <ConfirmButton
      label="Resume"
      name={`Resume ${name}`}
      title={`Resume ${name}?`}
      about="Waiting operations are signed and sent."
      confirm="Resume"
      send={() => call('DELETE', path`/v1/ledger-ops/suspensions/${suspensionId}`)}
      done={async () => {
        await queries.invalidateQueries({ queryKey: ['suspensions'] });
        await queries.invalidateQueries({ queryKey: ['ledger-health'] });
      }}
    />
  );
  if (ledgerId !== undefined) return button;
  return (
    <Permitted permission={`${walletId === undefined ? 'project' : 'wallet'}:update`}>{button}</Permitted>
  );
}

function Subject({ suspension }: { suspension: Suspension }) {
  const { ledgerId, walletId, projectId } = suspension;
  const ledgers = useQuery(ledgersQuery()).data;
  if (ledgerId !== undefined) {
    const name = ledgers?.find((one) => one.ledgerId === ledgerId)?.name ?? ledgerId;
    return (
      <>
        The ledger{' '}
        <Link to="/ledgers/$ledgerId" params={{ ledgerId }} className="underline underline-offset-4">
          {name}
        </Link>
      </>
    );
  }
  if (walletId !== undefined) {
    return (
      <>
        The wallet{' '}
        <Link to="/wallets/$walletId" params={{ walletId }} className="underline underline-offset-4">
          {walletId}
        </Link>
      </>
    );
  }
  return <>The project {projectId}</>;
}
