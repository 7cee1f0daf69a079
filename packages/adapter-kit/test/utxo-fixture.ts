import type { AdapterDefinition } from '@ledger-ops/adapter';
import type { ConformanceHarness } from '@ledger-ops/adapter-kit/conformance';

const example = new URL('../../../examples/bitcoin-plugin/', import.meta.url);
// Modules in JavaScript. The compiler checks their types in their own folder.
const plugin: { default: AdapterDefinition } = await import(new URL('src/plugin.js', example).href);
const harness: { openLedgerHarness(): Promise<ConformanceHarness> } = await import(
  new URL('test/harness.js', example).href
);

/** The Bitcoin example on the UTXO ledger: an adapter that names claims. */
export const utxoFixture = { definition: plugin.default, open: harness.openLedgerHarness };
