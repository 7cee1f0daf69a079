// The console in a browser: stories of projects that know nothing of each other, in one installation, one after another.
import { afterAll, beforeAll, describe } from 'vitest';
import { missingChromium } from '../../../../testing/chromium.ts';
import { pluginUrl } from '../events/timeline-steps.ts';
import { describeDependencies } from './console/dependencies.ts';
import { describeEveryPage } from './console/every-page.ts';
import { describeInstallation, farAway } from './console/installation.ts';
import { describeInvitation } from './console/invitation.ts';
import { describeOperations } from './console/operations.ts';
import { describeOwnContract } from './console/own-contract.ts';
import { describeSessions } from './console/sessions.ts';
import { type FirstConsoleStage, openConsoleStage } from './console-stage.ts';

const missing = missingChromium();
if (missing !== undefined) console.warn(`Skipped: the console is not opened in a browser, for ${missing}.`);

describe.skipIf(missing !== undefined)('the console in a browser', { timeout: 180_000 }, () => {
  let first: FirstConsoleStage;
  beforeAll(async () => {
    first = await openConsoleStage({ PLUGINS_ALLOWED: farAway, PLUGINS_TRUSTED: pluginUrl });
  }, 300_000);
  afterAll(async () => {
    await first?.close();
  });

  const beside = (name: string) => () => first.beside(name);
  describeOperations(beside('shop'));
  describeOwnContract(beside('smithy'));
  describeSessions(beside('bakery'));
  describeInvitation(beside('inn'));
  // These hold up the chain's blocks; the last one leaves a ledger that cannot be followed, so that the service is not ready.
  describeDependencies(beside('weir'));
  describeEveryPage(async () => first);
  describeInstallation(beside('yard'));
});
