import { createUtxoLedger, UtxoNode } from '@ledger-ops/adapter-kit/utxo';

const ledger = createUtxoLedger();
const node = await UtxoNode.start(ledger); // node.url is the address for the adapter
const coin = ledger.fund('bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080', 1_000_000n);
ledger.mine();
ledger.feeRate = 10n; // satoshi per virtual byte that miners require
export const found = ledger.coin(coin)?.amount;
await node.close();
