// Every sentence that the scripts of the page say.

export const PLATFORMS = {
  feishu: { name: "飞书", mark: "飞" },
  wecom: { name: "企业微信", mark: "企" },
};

export const SUGGESTIONS = ["帮我生成周报", "以后通知发企业微信", "你记住了我的哪些偏好？"];

export const words = {
  privateChat: "私聊",
  placeholder: (bot) => `发消息给${bot}`,
  groupPlaceholder: (group) => `在${group}里说`,
  send: "发送",
  mention: (bot) => `@${bot}`,
  chats: "和谁聊",
  noAccount: (person, platform) => `${person}没有${platform}账号`,
  emptyTitle: (bot) => `和${bot}打个招呼`,
  emptyPromise: "报告、通知、待办的习惯，说一次就记住。",
  emptyHint: "先试试这一句：",
  emptyGroup: (bot) => `在群里 @${bot} 才会回答。`,
  unread: (count) => `${count} 条未读`,
  typing: "正在输入",
  choose: "请选择",
  submit: "提交",
  save: "保存",
  reportPicture: "报告图片",
  taskBadge: "任务",
  connecting: "连接断开了，正在重连…",
  unreachable: "没有连上，请看看 jide playground 是否还在运行。",
  memoryWhose: (person) => `${person} · 随时可以让它改或忘掉`,
  memoryEmpty: "还没有记住任何东西。",
  memoryEmptyHint: "说一句“以后通知发企业微信”，再回来看看。",
  preferences: "偏好",
  aliases: "起过的名字",
  facts: "记下的事",
  questions: "等你回答",
  archived: "已归档",
  always: "任何时候",
  until: (time) => `${time} 前有效`,
  weekdays: ["周日", "周一", "周二", "周三", "周四", "周五", "周六"],
};
