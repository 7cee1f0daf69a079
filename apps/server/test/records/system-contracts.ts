import { type AdapterDefinition, adapterError } from '@ledger-ops/adapter';
import { createMemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';

/** The address of the ledger's system contract. */
export const systemContract = 'channel/system';

/** An adapter with an in-memory ledger. Like Fabric's peers, the ledger has a system contract. */
export function adapterWithSystemContract(): AdapterDefinition {
  const technology = 'hyperledger-fabric';
  const base = memoryAdapter(createMemoryLedger(), { name: 'with-system-contract', technology });
  return {
    ...base,
    async readInterface(text) {
      return {
        interface: text,
        methods: [{ name: 'Read', signature: 'Read', view: true, inputs: [], outputs: [] }],
      };
    },
    async open(ledger, host) {
      const session = await base.open(ledger, host);
      return {
        ...session,
        normaliseAddress: async (address) => address,
        async emulate({ operation, systemContracts }) {
          const isSystem =
            operation.type === 'contract_call' && operation.contract.address === systemContract;
          if (isSystem && systemContracts !== true) {
            throw adapterError('system-contract', 'The contract belongs to the ledger itself.', {
              phase: 'emulate',
            });
          }
          return { result: 'everything' };
        },
      };
    },
  };
}
