export { type BlackHole, openBlackHole } from '@ledger-ops/devnet';
