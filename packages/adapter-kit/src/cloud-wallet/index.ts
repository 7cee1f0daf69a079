export type { CloudWalletCheck } from './check.ts';
export { cloudWalletChecks } from './checks.ts';
export { type DescribedCloudWallet, describeCloudWallet } from './describe-cloud-wallet.ts';
export type { CloudWalletHarness } from './harness.ts';
export { type CheckResult, runCloudWalletCheck } from './run-check.ts';
export type { RemoteStage } from './stage.ts';
