// The console in a browser: scenarios of separate projects in one installation, one after the other.
import { afterAll, beforeAll, describe } from 'vitest';
import { missingChromium } from '../../../../testing/chromium.ts';
import { isFaultsRun } from '../../../../testing/faults.ts';
import { pluginUrl } from '../events/timeline-steps.ts';
import { UrlPlugin } from '../stage/url-plugin.ts';
import { describeDependencies } from './console/dependencies.ts';
import { describeEveryPage } from './console/every-page.ts';
import { describeInstallation, farAway } from './console/installation.ts';
import { describeInvitation } from './console/invitation.ts';
import { describeOperations } from './console/operations.ts';
import { describeOwnContract } from './console/own-contract.ts';
import { describeRemoteLedger } from './console/remote-ledger.ts';
import { describeResuming } from './console/resuming.ts';
import { describeSessions } from './console/sessions.ts';
import { type FirstConsoleStage, openConsoleStage } from './console-stage.ts';

const missing = missingChromium();
if (missing !== undefined) console.warn(`Skipped: the console is not opened in a browser, for ${missing}.`);

describe.skipIf(missing !== undefined)('the console in a browser', { timeout: 180_000 }, () => {
  let first: FirstConsoleStage;
  let remote: UrlPlugin;
  beforeAll(async () => {
    remote = await new UrlPlugin().start();
    first = await openConsoleStage({
      PLUGINS_ALLOWED: `${farAway},${remote.url}`,
      PLUGINS_TRUSTED: pluginUrl,
    });
  }, 300_000);
  afterAll(async () => {
    await first?.close();
    await remote?.close();
  });

  const addProject = (name: string) => () => first.addProject(name);
  describeOperations(addProject('shop'));
  describeSessions(addProject('bakery'));
  describeResuming(addProject('mint'));
  if (isFaultsRun) {
    describeInvitation(addProject('inn'));
    describeOwnContract(addProject('smithy'));
    describeRemoteLedger(addProject('orchard'), () => remote);
    // Runs after the scenarios above, because it stops block production.
    describeDependencies(addProject('weir'));
  }
  describeEveryPage(async () => first);
  // Runs last, because it leaves an unreachable ledger, with which the service is not ready.
  if (isFaultsRun) describeInstallation(addProject('yard'));
});
