import '@ledger-ops/base/resolve-once';

const { run } = await import('./develop.ts');
run();
