/** Targets that a hostile module must not reach. */
export interface Targets {
  serverPid: number;
  serverPort: number;
  dataDir: string;
  /** Folder of another module. */
  sibling: string;
  /** A loopback port that the hostile plugin must not reach. */
  port: number;
  /** A Unix socket that the hostile plugin must not reach. */
  socket: string;
}

const fs = "const fs = await load('node:fs');";
const send = (place: string) => `
  const net = await load('node:net');
  return await new Promise((resolve, reject) => {
    const socket = net.connect(${place}, () => resolve('connected'));
    socket.once('error', reject);
    socket.setTimeout(5_000, () => reject(new Error('nothing in five seconds')));
  });`;

/** Everything that the module tries. All of it must fail; a returned line contains what the module obtained. */
export function attemptsOn(targets: Targets): [name: string, code: string][] {
  const { serverPid, serverPort, dataDir, sibling, port, socket } = targets;
  const others = [serverPid, 'process.ppid', 0, -1, 1, `-${serverPid}`];
  const signals = others.flatMap((pid) =>
    ['SIGUSR1', 'SIGSTOP', 'SIGKILL'].map((signal): [string, string] => [
      `${signal} to ${pid}`,
      `return process.kill(${pid}, '${signal}');`,
    ]),
  );
  const files = [
    `${dataDir}/administrator.json`,
    `${dataDir}/ledger-ops.sqlite`,
    `${sibling}/secret.txt`,
    '/etc/passwd',
    `/proc/${serverPid}/environ`,
    `/proc/${serverPid}/root/etc/passwd`,
    '/proc/1/environ',
    '/proc/self/environ',
    '/proc/self/mem',
    '/proc/self/root/etc/passwd',
    '/proc/net/tcp',
  ];
  const folders = [dataDir, sibling, `${sibling}/..`, '/', '/proc', '/home', '/var/run', '/dev'];
  const quoted = (value: unknown) => JSON.stringify(value);
  return [
    ...signals,
    ['a signal by the raw function', `return process._kill(${serverPid}, 10);`],
    [
      'a signal by a named export',
      `const { kill } = await load('node:process'); return kill(${serverPid}, 'SIGUSR1');`,
    ],
    [
      'a signal by the handle of a process that was never started',
      "const { ChildProcess } = await load('node:child_process'); return new ChildProcess()._handle.kill(9);",
    ],
    ['the debugger of the server', `return process._debugProcess(${serverPid});`],
    [
      'its own inspector',
      "const inspector = await load('node:inspector'); inspector.open(0); return inspector.url();",
    ],
    [
      'an inspector session',
      "const { Session } = await load('node:inspector'); new Session().connect(); return 'connected';",
    ],
    [
      'the priority of the server',
      `const os = await load('node:os'); return os.setPriority(${serverPid}, 19);`,
    ],

    ...files.map((file): [string, string] => [
      `reading ${file}`,
      `${fs} return fs.readFileSync(${quoted(file)}, 'utf8');`,
    ]),
    ...folders.map((folder): [string, string] => [
      `listing ${folder}`,
      `${fs} return fs.readdirSync(${quoted(folder)});`,
    ]),
    ['a file as a blob', `${fs} return await (await fs.openAsBlob(${quoted(files[0])})).text();`],
    ['a file as a module', `return (await load(${quoted(`${sibling}/index.mjs`)})).default;`],
    [
      'a file by require',
      `const { createRequire } = await load('node:module'); return JSON.stringify(createRequire('/')(${quoted(files[0])}));`,
    ],
    ['a file by fetch', `return await (await fetch(${quoted(`file://${files[0]}`)})).text();`],
    ['a file as an environment', `return process.loadEnvFile(${quoted(files[0])});`],
    [
      'a file through its own link',
      `${fs} fs.symlinkSync(${quoted(files[0])}, '/tmp/link'); return fs.readFileSync('/tmp/link', 'utf8');`,
    ],
    [
      'the database',
      `const { DatabaseSync } = await load('node:sqlite'); return JSON.stringify(new DatabaseSync(${quoted(files[1])}).prepare('select * from sqlite_master').all());`,
    ],
    [
      'the database, attached',
      `const { DatabaseSync } = await load('node:sqlite'); const one = new DatabaseSync(':memory:'); one.exec("attach '${files[1]}' as other"); return 'attached';`,
    ],
    [
      'writing next to the database',
      `${fs} fs.writeFileSync(${quoted(`${dataDir}/written`)}, 'x'); return 'written';`,
    ],
    [
      'writing into its own package',
      `${fs} fs.writeFileSync(new URL('file://${sibling}/../hostile/written'), 'x'); return 'written';`,
    ],
    ['writing a report', "return process.report.writeReport('/tmp/report.json');"],
    ['writing a heap snapshot', "return (await load('node:v8')).writeHeapSnapshot('/tmp/heap');"],

    [
      'the environment',
      "if (Object.keys(process.env).length === 0) throw new Error('empty'); return JSON.stringify(process.env);",
    ],

    ['another loopback port', send(`${port}, '127.0.0.1'`)],
    ['another loopback port by its name', send(`${port}, 'localhost'`)],
    ['another loopback port over IPv6', send(`${port}, '::1'`)],
    ['another loopback port, mapped', send(`${port}, '::ffff:127.0.0.1'`)],
    ['another loopback port by fetch', `return (await fetch('http://127.0.0.1:${port}/')).status;`],
    [
      'another loopback port over TLS',
      `const tls = await load('node:tls'); return await new Promise((resolve, reject) => tls.connect(${port}, '127.0.0.1', () => resolve('connected')).once('error', reject));`,
    ],
    ["the server's own port", `return (await fetch('http://127.0.0.1:${serverPort}/livez')).status;`],
    ['a cloud’s metadata', send("80, '169.254.169.254'")],
    ['a public address', send("443, '1.1.1.1'")],
    ['a unix socket', send(`{ path: ${quoted(socket)} }`)],
    [
      'a host name that is not a ledger’s',
      "const dns = await load('node:dns/promises'); return JSON.stringify(await dns.lookup('localhost.localdomain'));",
    ],

    ['a native addon', `return process.dlopen({ exports: {} }, ${quoted(`${sibling}/addon.node`)});`],
    ['an internal binding', "return process.binding('spawn_sync');"],
    [
      'a program',
      "return (await load('node:child_process')).execFileSync('/bin/sh', ['-c', 'id']).toString();",
    ],
    ['another program in place of itself', "return process.execve('/bin/sh', ['sh', '-c', 'id'], {});"],
    ['a process of Node', "return (await load('node:child_process')).fork('/dev/null').pid;"],
    [
      'a process of a cluster',
      "const { default: cluster } = await load('node:cluster'); return cluster.fork().process.pid;",
    ],
    [
      'a fork bomb',
      "const { spawnSync } = await load('node:child_process'); for (let count = 0; count < 100; count += 1) { const { error } = spawnSync('/bin/sh', ['-c', ':']); if (error) throw error; } return 'forked';",
    ],
    [
      'a thread',
      "const { Worker } = await load('node:worker_threads'); return new Worker('1', { eval: true }).threadId;",
    ],
    [
      'WASI',
      "const { WASI } = await load('node:wasi'); return new WASI({ version: 'preview1', preopens: { '/': '/' } }).wasiImport;",
    ],
    [
      'an extension of SQLite',
      "const { DatabaseSync } = await load('node:sqlite'); const one = new DatabaseSync(':memory:', { allowExtension: true }); one.loadExtension('/lib/x.so'); return 'loaded';",
    ],
    ['an engine of OpenSSL', "return (await load('node:crypto')).setEngine('/lib/x.so');"],
    ['another user', 'return process.setuid(1);'],
  ];
}
