import { getRouteApi } from '@tanstack/react-router';
import { PageHead } from '../ui/layout.tsx';
import { Pills } from '../ui/pills.tsx';
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

/** A new operation: what, from which wallet, tried before it is sent. */
export function SendPage() {
  const search = route.useSearch();
  const { kind = 'transfer' } = search;
  const navigate = route.useNavigate();
  const sender = useSender(search.wallet);
  return (
    <>
      <PageHead
        title="New operation"
        about="Try it first: a dry run tells the result and the cost, and changes nothing."
      />
      <div className="mb-5">
        <Pills
          label="Kind"
          options={kinds}
          value={kind}
          choose={(value) => void navigate({ search: { ...search, kind: value }, replace: true })}
        />
      </div>
      {kind === 'transfer' ? <TransferForm sender={sender} /> : null}
      {kind === 'call' ? <CallForm sender={sender} first={search.contract} /> : null}
      {kind === 'deploy' ? <DeployForm sender={sender} first={search.template} /> : null}
    </>
  );
}
