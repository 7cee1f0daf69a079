import type { Locator, Page } from 'playwright-core';
import type { ConsoleStage } from '../../console-stage.ts';

/** One person before one page, which every part of the story takes as the part before left it. */
export interface EveryPage {
  readonly stage: ConsoleStage;
  readonly page: Page;
  /** Address of the wallet `till`. */
  readonly till: string;
  /** Bytes that the console was until now. */
  readonly firstLoad: () => number;
  /** Parts of what a browser says of answers that tests ask for, also of one that comes when its test has seen enough. */
  readonly asked: string[];
  /** All else that a browser complained of: scripts that failed, and what the page's policy kept out. */
  readonly unasked: () => readonly string[];
  readonly url: (path: string) => string;
  readonly heading: (name: string | RegExp) => Locator;
  /** Waits until a window is closed, as an answer closes it: what stands behind one has no role until then. */
  readonly closed: () => Promise<void>;
}
