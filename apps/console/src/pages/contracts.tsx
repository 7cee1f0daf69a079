import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { contractsQuery } from '../api/queries.ts';
import { methodsOf } from '../lib/interface.ts';
import { buttonClass } from '../ui/button.tsx';
import { Card, Empty, Loading, PageHead } from '../ui/layout.tsx';
import { ProblemNote } from '../ui/problem.tsx';
import { Badge } from '../ui/status.tsx';
import { Id } from '../ui/text.tsx';

export function Contracts() {
  const list = useQuery(contractsQuery());
  return (
    <>
      <PageHead
        title="Contracts"
        about="Registered contracts, by their interfaces. What is deployed from a template is registered by itself."
      >
        <Link to="/send" search={{ kind: 'deploy' }} className={buttonClass('primary')}>
          Deploy a contract
        </Link>
      </PageHead>
      {list.isError ? <ProblemNote error={list.error} /> : null}
      {list.isPending ? <Loading /> : null}
      {list.data?.length === 0 ? (
        <Card>
          <Empty title="No contract is registered" />
        </Card>
      ) : null}
      <div className="space-y-4">
        {list.data?.map(({ contractId, name, ledgerReference, interface: text }) => {
          const methods = methodsOf(text);
          return (
            <Card
              key={contractId}
              title={name}
              aside={
                <Link to="/send" search={{ kind: 'call', contract: contractId }} className={buttonClass()}>
                  Call it
                </Link>
              }
            >
              <p className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm text-ink-2">
                <span>{ledgerReference.ledgerId}</span>
                <Id>{ledgerReference.nativeReference}</Id>
              </p>
              <details className="mt-3 text-sm">
                <summary className="cursor-pointer font-medium">
                  {methods.length === 0 ? 'No methods are known' : `${methods.length} methods`}
                </summary>
                <ul className="mt-2 divide-y divide-line">
                  {methods.map(({ id, name: method, parameters, isView }) => (
                    <li key={id} className="flex flex-wrap items-center justify-between gap-2 py-2">
                      <code className="font-mono text-xs break-all">
                        {method}({parameters.map((one) => `${one.name}: ${one.type}`).join(', ')})
                      </code>
                      <Badge tone={isView ? 'info' : 'none'}>{isView ? 'reads' : 'changes'}</Badge>
                    </li>
                  ))}
                </ul>
              </details>
            </Card>
          );
        })}
      </div>
    </>
  );
}
