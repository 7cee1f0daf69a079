export { createTestSigner, type TestSigner } from './test-signer.ts';
