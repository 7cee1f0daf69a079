import { createMemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';

const ledger = createMemoryLedger({ autoMine: false });
export const definition = memoryAdapter(ledger);
ledger.fund('0x00000000000000000000000000000000000000aa', 10n ** 18n);
ledger.script({ kind: 'acceptAndTimeout' }); // accepts the next submission, but throws `timeout`
ledger.mine(2);
ledger.reorganise(1, 'vanish');
