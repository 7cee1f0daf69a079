import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { contractsQuery, methodsQuery } from '../api/queries.ts';
import type { Schemas } from '../api/types.ts';
import { named } from '../lib/interface.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { Card, Empty, Loading, PageHead } from '../ui/layout.tsx';
import { LedgerName, Name } from '../ui/names.tsx';
import { Permitted } from '../ui/permitted.tsx';
import { ProblemNote } from '../ui/problem.tsx';
import { Badge } from '../ui/status.tsx';
import { Id } from '../ui/text.tsx';
import { ChangeContract, RemoveButton } from './contracts/change.tsx';
import { RegisterContract } from './contracts/register.tsx';
import { NewSubscription, Subscriptions } from './contracts/subscriptions.tsx';

export function Contracts() {
  // A deployment that has just succeeded has registered a contract, which is missing in data that was loaded
  // before.
  const list = useQuery({ ...contractsQuery(), refetchOnMount: 'always' });
  /** Id of the contract that is preselected. */
  const [subscribing, setSubscribing] = useState<string>();
  const [isRegistering, setRegistering] = useState(false);
  return (
    <>
      <PageHead
        title="Contracts"
        about="Registered contracts with their interfaces. Deploying from a template registers the contract automatically."
      >
        <Permitted permission="smart-contract-instance:create">
          <Button onClick={() => setRegistering(true)}>Register</Button>
        </Permitted>
        <Link to="/send" search={{ kind: 'deploy' }} className={buttonClass('primary')}>
          Deploy a contract
        </Link>
      </PageHead>
      {list.isError ? <ProblemNote error={list.error} canRetry /> : null}
      {list.isPending ? <Loading /> : null}
      {list.data?.length === 0 ? (
        <Card>
          <Empty title="No contracts yet">
            Deploy one from{' '}
            <Link to="/templates" className="underline">
              a template
            </Link>
            , or register one that is already on its ledger.
          </Empty>
        </Card>
      ) : null}
      <div className="space-y-4">
        {list.data?.map((contract) => (
          <ContractCard
            key={contract.contractId}
            contract={contract}
            subscribe={() => setSubscribing(contract.contractId)}
          />
        ))}
        {list.data === undefined || list.data.length === 0 ? null : (
          <Subscriptions subscribe={() => setSubscribing('')} />
        )}
      </div>
      {isRegistering ? <RegisterContract close={() => setRegistering(false)} /> : null}
      {subscribing === undefined ? null : (
        <NewSubscription contractId={subscribing} close={() => setSubscribing(undefined)} />
      )}
    </>
  );
}

function ContractCard({ contract, subscribe }: { contract: Schemas['Contract']; subscribe: () => void }) {
  const { contractId, name, ledgerReference } = contract;
  const [isChanging, setChanging] = useState(false);
  return (
    <Card
      title={<Name id={contractId} name={name} />}
      aside={
        <span className="flex flex-wrap gap-2">
          <Link to="/send" search={{ kind: 'call', contract: contractId }} className={buttonClass()}>
            Call
          </Link>
          <Button aria-label={`Subscribe to ${name}`} onClick={subscribe}>
            Subscribe
          </Button>
          <Button aria-label={`Change ${name}`} onClick={() => setChanging(true)}>
            Change
          </Button>
          <RemoveButton contract={contract} />
        </span>
      }
    >
      <p className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm text-ink-2">
        <span className="wrap-anywhere">
          <LedgerName id={ledgerReference.ledgerId} />
        </span>
        <Id>{ledgerReference.nativeReference}</Id>
      </p>
      <Methods contract={contract} />
      {isChanging ? <ChangeContract contract={contract} close={() => setChanging(false)} /> : null}
    </Card>
  );
}

/** Loaded when it is opened, because the request needs the plugin of the contract's ledger. */
function Methods({ contract }: { contract: Schemas['Contract'] }) {
  const [isOpen, setOpen] = useState(false);
  const methods = useQuery(methodsQuery(isOpen ? contract : undefined));
  return (
    <details className="mt-3 text-sm" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="cursor-pointer font-medium">Methods</summary>
      {methods.isError ? <ProblemNote error={methods.error} /> : null}
      {isOpen && methods.isPending ? <Loading /> : null}
      {methods.data?.length === 0 ? (
        <p className="mt-2 text-ink-2">The contract’s interface has no methods.</p>
      ) : null}
      <ul className="mt-2 divide-y divide-line">
        {methods.data?.map(({ name, signature, inputs, view }) => (
          <li key={signature} className="flex items-center justify-between gap-3 py-2">
            <code className="font-mono text-xs wrap-anywhere">
              {name}(
              {named(inputs)
                .map((one) => `${one.name}: ${one.type}`)
                .join(', ')}
              )
            </code>
            <Badge tone={view ? 'info' : 'none'}>{view ? 'reads' : 'changes'}</Badge>
          </li>
        ))}
      </ul>
    </details>
  );
}
