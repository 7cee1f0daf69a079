import { amountText } from '@ledger-ops/client/text';
import { useMutation, useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { ledgersQuery, technologiesQuery } from '../../api/queries.ts';
import type { ActionDetails, Schemas } from '../../api/types.ts';
import { gloOf } from '../../lib/glo-of.ts';
import { amountMemberOf } from '../../lib/native-content.ts';
import { Button } from '../../ui/button.tsx';
import { ProblemNote } from '../../ui/problem.tsx';
import { Json } from '../../ui/text.tsx';

/** Simulates the action's operation against the current state of its ledger. */
export function useSimulation(action: ActionDetails) {
  const technologies = useQuery(technologiesQuery()).data;
  const ledgers = useQuery(ledgersQuery()).data;
  const ledger = ledgers?.find(({ ledgerId }) => ledgerId === action.ledgerId);
  const technology = technologies?.find(({ name }) => name === ledger?.technology);
  const request = useMutation({
    mutationFn: () => {
      const member =
        technology === undefined || action.type === null
          ? undefined
          : amountMemberOf(technology, action.type);
      const glo = gloOf(action, technology, member);
      return call<Schemas['Emulated']>('POST', '/v1/ledger-ops/emulate', {
        body: { walletId: action.walletId, glo },
      });
    },
  });
  return request;
}

export type Simulation = ReturnType<typeof useSimulation>;

export function SimulateButton({ simulation }: { simulation: Simulation }) {
  return (
    <Button busy={simulation.isPending} onClick={() => simulation.mutate()}>
      Simulate
    </Button>
  );
}

/** The outcome of the simulation, as a note above the page's cards. */
export function Simulated({ simulation, unit }: { simulation: Simulation; unit: Schemas['CurrencyUnit'] }) {
  const { data, error } = simulation;
  return (
    <div aria-live="polite">
      {error === null ? null : (
        <div className="mb-5">
          <ProblemNote error={error}>
            <p className="mt-1 text-sm">The same operation would fail if it were sent now.</p>
          </ProblemNote>
        </div>
      )}
      {data === undefined ? null : (
        <div className="mb-5 space-y-2 rounded-lg bg-good-soft p-4 text-sm">
          <p className="font-medium text-good">The same operation would succeed if it were sent now.</p>
          {data.fee === null ? null : <p>Fee: about {amountText(data.fee, unit)}</p>}
          {data.warnings.map((text) => (
            <p key={text} className="wrap-anywhere">
              {text}
            </p>
          ))}
          {data.result === null || data.result === undefined ? null : (
            <Json label="Result of the simulation" value={data.result} />
          )}
        </div>
      )}
    </div>
  );
}
