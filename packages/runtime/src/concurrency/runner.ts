/** Runs one piece of work at a time, again and again while there is more to do. */
export interface Runner {
  /** There is something to do. Whoever calls while it runs has it run once more. */
  wake(): void;
  /** Resolves when nothing runs any more; nothing begins after it. */
  stop(): Promise<void>;
}

export interface RunnerOptions {
  /** True when there is more to do at once. */
  run: () => Promise<boolean>;
  failed: (error: unknown) => void;
  /** Milliseconds after which it runs again when it failed. */
  retryAfter: number;
}

export function createRunner({ run, failed, retryAfter }: RunnerOptions): Runner {
  let state: 'idle' | 'running' | 'woken' | 'stopped' = 'idle';
  let running: Promise<void> = Promise.resolve();
  let retry: NodeJS.Timeout | undefined;

  function wake(): void {
    if (state === 'running') state = 'woken';
    if (state !== 'idle') return;
    state = 'running';
    running = work();
  }

  async function work(): Promise<void> {
    let isMore = false;
    try {
      isMore = await run();
    } catch (error) {
      failed(error);
      if (state !== 'stopped') retry = setTimeout(wake, retryAfter);
    }
    if (state === 'stopped') return;
    const isAgain = isMore || state === 'woken';
    state = 'idle';
    if (isAgain) wake();
  }

  return {
    wake,
    async stop() {
      state = 'stopped';
      clearTimeout(retry);
      await running;
    },
  };
}
