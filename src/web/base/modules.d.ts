// What build.mjs adds to the modules that can be imported.
declare module "worker:*" {
  const script: string;
  export default script;
}

declare module "config:*" {
  const config: { values: Record<string, string>; text: string; test: string };
  export default config;
}

declare module "source:*" {
  const text: string;
  export default text;
}
