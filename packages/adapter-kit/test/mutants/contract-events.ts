import type { ContractEvents } from '@ledger-ops/adapter';
import type { Mutant } from './mutant.ts';

/** Creates a mutant that changes event pages. */
function pages(fault: string, change: (page: ContractEvents) => ContractEvents): Mutant {
  return {
    fault,
    session: (session) => ({
      async contractEvents(request) {
        const page = await session.contractEvents?.(request);
        if (page === undefined) throw new Error('the memory adapter reads events');
        return change(page);
      },
    }),
  };
}

const everyEvent =
  'each event of a contract is returned once, in the order of the ledger, whatever the page size';

export const mutantsOfContractEvents: Readonly<Record<string, Mutant>> = {
  [everyEvent]: pages('the last event of each longer page is missing', (page) =>
    page.events.length > 1 ? { ...page, events: page.events.slice(0, -1) } : page,
  ),
  'an event is returned only once its block has the required depth': {
    fault: 'events are returned before the required depth',
    config: (config) => ({ ...config, properties: { ...config.properties, confirmations: 1 } }),
  },
  "contractEvents() without the capability 'contractEvents' is rejected as unsupported-operation": {
    fault: 'contractEvents() works without being declared',
    fewPowers: true,
    session: () => ({
      contractEvents: async () => ({ events: [], after: { height: 0 }, newest: 0, more: false }),
    }),
  },
};

/** More faults, by the check that must find them. */
export const furtherMutantsOfContractEvents: readonly [check: string, mutant: Mutant][] = [
  [
    everyEvent,
    pages('each event is returned twice', (page) => ({
      ...page,
      events: page.events.flatMap((one) => [one, one]),
    })),
  ],
  [
    everyEvent,
    {
      fault: 'the interface does not list its events',
      definition: (definition) =>
        Object.freeze({
          ...definition,
          readInterface: async (text: string) => ({
            ...(await definition.readInterface(text)),
            eventNames: [],
          }),
        }),
    },
  ],
  [
    everyEvent,
    pages('events are in reverse order', (page) => ({ ...page, events: page.events.toReversed() })),
  ],
  [
    everyEvent,
    pages('event ids depend on the page', (page) => ({
      ...page,
      events: page.events.map((one, index) => ({
        ...one,
        id: `${page.events.length}/${index}/${one.height}`,
      })),
    })),
  ],
  [
    everyEvent,
    pages('the position skips a block', (page) => ({
      ...page,
      after: { ...page.after, height: page.after.height + 1 },
    })),
  ],
];
