import type { AdapterDefinition } from '@ledger-ops/adapter';
import { ethereumAdapter } from '@ledger-ops/plugin-ethereum';
import { fabricAdapter } from '@ledger-ops/plugin-fabric';
import { solanaAdapter } from '@ledger-ops/plugin-solana';

/** The server's built-in ledger plugins, in order of preference. */
export const builtInAdapters: readonly AdapterDefinition[] = [ethereumAdapter, fabricAdapter, solanaAdapter];
