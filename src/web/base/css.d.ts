// esbuild puts imported style sheets into the style sheet of the bundle.
declare module "*.css";
