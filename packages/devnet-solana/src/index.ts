export type { SlotTime } from './chain/producer.ts';
export type { SolanaOptions } from './options.ts';
export { type SolanaProcess, startSolanaProcess } from './process.ts';
export { type SolanaLedger, startSolana } from './start.ts';
export { UnsupportedPlatformError } from './unsupported-platform.ts';
