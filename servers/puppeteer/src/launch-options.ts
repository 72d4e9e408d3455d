// How the browser is started: the launch options of Puppeteer that the original server takes, as far as they are supported here.
import { isObject } from '@tenon/values/is-object';
import { ToolError } from 'tenon';

/** The size of a page, in CSS pixels. */
export interface Viewport {
  readonly width: number;
  readonly height: number;
}

/** How a browser is started. */
export interface Launch {
  readonly headless: boolean;
  readonly viewport: Viewport;
  /** Switches of the command line that are added to those of the server. */
  readonly args: readonly string[];
  /** The path of the browser; undefined: it is searched. */
  readonly executablePath: string | undefined;
  /** Whether pages with invalid certificates are loaded. */
  readonly ignoresCertificates: boolean;
}

export const DEFAULT_LAUNCH: Launch = {
  headless: true,
  viewport: { width: 800, height: 600 },
  args: [],
  executablePath: undefined,
  ignoresCertificates: false,
};

/** The largest width and height of a page. */
export const MAX_PIXELS = 4_096;
const MAX_ARGS = 50;

/** Switches without influence on what pages may do. All others are dangerous, also `--blink-settings` with a list, which can turn off the same-origin policy. */
const HARMLESS =
  /^--(?:window-size|window-position|lang|accept-lang|force-device-scale-factor|force-dark-mode|force-prefers-reduced-motion|hide-scrollbars|mute-audio|start-maximized|start-fullscreen|disable-gpu|disable-dev-shm-usage|font-render-hinting)(?:=|$)|^--blink-settings=imagesEnabled=(?:true|false)$/;
/** Switches that would lead around the rules for connections, or away from this server. */
const NEVER =
  /^--(?:proxy-|no-proxy-server|winhttp-proxy|host-rules|host-resolver-rules|remote-debugging|remote-allow|user-data-dir|profile-directory|webrtc-ip|force-webrtc-ip|enable-quic|origin-to-force-quic|app=|headless)/i;

/** The error for options that cannot be used. */
function refused(what: string): ToolError {
  return new ToolError(`launchOptions: ${what}`);
}

function parseViewport(value: unknown, current: Viewport): Viewport {
  if (value === null) return current;
  const { width, height } = isObject(value) ? value : {};
  for (const pixels of [width, height])
    if (!Number.isInteger(pixels) || (pixels as number) < 1 || (pixels as number) > MAX_PIXELS)
      throw refused(`defaultViewport has a width and a height from 1 to ${MAX_PIXELS}`);
  return { width: width as number, height: height as number };
}

function parseArgs(value: unknown): readonly string[] {
  const isList = Array.isArray(value) && value.length <= MAX_ARGS;
  if (!isList || !value.every((arg) => typeof arg === 'string' && /^--[a-z][^\0]{0,1000}$/.test(arg)))
    throw refused(`args is a list of at most ${MAX_ARGS} switches such as --window-size=800,600`);
  const never = value.find((arg: string) => NEVER.test(arg));
  if (never !== undefined) throw refused(`${never} is not available: the server itself sets this`);
  return value as string[];
}

/** Reads the members of the launch options; those that reduce security are added to `dangers`. */
function read(options: Readonly<Record<string, unknown>>, base: Launch, dangers: string[]): Launch {
  const launch: { -readonly [Key in keyof Launch]: Launch[Key] } = { ...base };
  for (const [name, value] of Object.entries(options))
    switch (name) {
      case 'headless':
        if (typeof value !== 'boolean' && value !== 'shell') throw refused('headless is true or false');
        launch.headless = value !== false;
        break;
      case 'defaultViewport':
        launch.viewport = parseViewport(value, base.viewport);
        break;
      case 'args': {
        const args = parseArgs(value);
        dangers.push(...args.filter((arg) => !HARMLESS.test(arg)));
        launch.args = [...base.args, ...args];
        break;
      }
      case 'executablePath':
        if (typeof value !== 'string' || value === '') throw refused('executablePath is a path');
        dangers.push('executablePath');
        launch.executablePath = value;
        break;
      case 'acceptInsecureCerts':
      case 'ignoreHTTPSErrors':
        if (typeof value !== 'boolean') throw refused(`${name} is true or false`);
        if (value) dangers.push(name);
        launch.ignoresCertificates = value;
        break;
      default:
        throw refused(
          `${name} is not supported, only headless, defaultViewport, args, executablePath and acceptInsecureCerts`,
        );
    }
  return launch;
}

/** Reads the options that the model gives. Throws a `ToolError` for those that are not supported or not allowed. */
export function readLaunchOptions(
  options: Readonly<Record<string, unknown>>,
  base: Launch,
  { allowsDangerous }: { readonly allowsDangerous: boolean },
): Launch {
  const dangers: string[] = [];
  const launch = read(options, base, dangers);
  if (dangers.length > 0 && !allowsDangerous)
    throw refused(
      `${dangers.join(', ')} would make the browser less safe. Only the user can allow that, by starting the server with --allow-dangerous; the argument allowDangerous does not.`,
    );
  return launch;
}

/** Reads the options that the user gives as JSON, in `PUPPETEER_LAUNCH_OPTIONS`. Throws an `Error` for the user. */
export function readUserOptions(text: string, base: Launch, rules: { readonly allowsDangerous: boolean }): Launch {
  let options: unknown;
  try {
    options = JSON.parse(text);
  } catch (error) {
    throw new Error(`PUPPETEER_LAUNCH_OPTIONS is not JSON: ${(error as Error).message}`, { cause: error });
  }
  if (!isObject(options)) throw new Error('PUPPETEER_LAUNCH_OPTIONS is not a JSON object');
  const { executablePath, ...rest } = options;
  try {
    // The path is not dangerous here: whoever sets the environment can start any program.
    const known = { ...readLaunchOptions(rest, base, rules) };
    return executablePath === undefined ? known : read({ executablePath }, known, []);
  } catch (error) {
    const message = (error as Error).message.replace('launchOptions', 'PUPPETEER_LAUNCH_OPTIONS');
    throw new Error(message, { cause: error });
  }
}
