import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { actionQuery, contractsQuery } from '../api/queries.ts';
import { type FirstValues, firstValuesOf } from '../lib/first-values.ts';
import { Card, Empty, Loading, PageHead } from '../ui/layout.tsx';
import { Pills } from '../ui/pills.tsx';
import { ProblemNote } from '../ui/problem.tsx';
import { CallForm } from './send/call-form.tsx';
import { DeployForm } from './send/deploy-form.tsx';
import { useSender } from './send/sender.ts';
import { TransferForm } from './send/transfer-form.tsx';

const route = getRouteApi('/frame/send');
const kinds = [
  ['transfer', 'Transfer'],
  ['call', 'Call a contract'],
  ['deploy', 'Deploy a contract'],
] as const;

/** Form for a new operation, with a trial run before it is sent. */
export function SendPage() {
  const { like, ...search } = route.useSearch();
  return (
    <>
      <PageHead
        title="New operation"
        about="Try it first: a dry run shows the result and the cost, and changes nothing."
      />
      {like === undefined ? (
        <Forms first={{ wallet: search.wallet, contract: search.contract, template: search.template }} />
      ) : (
        <FormsLike key={like} actionId={like} />
      )}
    </>
  );
}

/** The forms, filled with the values of an earlier action. */
function FormsLike({ actionId }: { actionId: string }) {
  const action = useQuery(actionQuery(actionId));
  // Whether the action calls a registered contract is known only after these are loaded.
  const contracts = useQuery(contractsQuery());
  if (action.isError) return <ProblemNote error={action.error} canRetry />;
  if (action.data === undefined || contracts.isPending) return <Loading />;
  return <Forms first={firstValuesOf(action.data, contracts.data ?? [])} />;
}

function Forms({ first }: { first: FirstValues }) {
  const { unknown, ...known } = route.useSearch();
  const { kind = unknown === undefined ? 'transfer' : '' } = known;
  const navigate = route.useNavigate();
  const sender = useSender(first.wallet);
  return (
    <>
      <div className="mb-5">
        <Pills
          label="Kind"
          options={kinds}
          value={kind}
          choose={(value) => void navigate({ search: { ...known, kind: value }, replace: true })}
        />
      </div>
      {kind === '' ? (
        <Card>
          <Empty title={`There is no operation “${unknown}”`}>Choose one of the operations above.</Empty>
        </Card>
      ) : null}
      {kind === 'transfer' ? <TransferForm sender={sender} first={first} /> : null}
      {kind === 'call' ? <CallForm sender={sender} first={first} /> : null}
      {kind === 'deploy' ? <DeployForm sender={sender} first={first} /> : null}
    </>
  );
}
