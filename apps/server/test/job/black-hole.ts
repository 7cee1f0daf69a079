export { openBlackHole } from '@ledger-ops/devnet';
