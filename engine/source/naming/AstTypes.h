// Converts Clang's types to SourceTypes. Like ClangDiagnostics.h, only for files that include Clang's headers anyway.
#pragma once

#include "program/SourceNames.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/RecordLayout.h"
#include "clang/AST/Type.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseMap.h"

#include <algorithm>
#include <limits>

namespace picket {

class AstTypes {
public:
  AstTypes(clang::ASTContext &Context, std::vector<SourceType> &Types)
      : Context(Context), Types(Types), Policy(Context.getPrintingPolicy()) {
    Policy.AnonymousTagLocations = false;
  }

  /// The index of T, which may be incomplete. Types that differ in qualifiers only are one.
  uint32_t indexOf(clang::QualType T) {
    uint32_t Index = declare(T);
    // Types lead to types, and lists of nodes to themselves: not by recursion.
    while (!Undefined.empty()) {
      auto [Next, Which] = Undefined.back();
      Undefined.pop_back();
      SourceType Made = define(Next);
      Types[Which] = std::move(Made);
    }
    return Index;
  }

  const clang::PrintingPolicy &printing() const { return Policy; }

private:
  /// Without qualifiers, and without sugar other than the names of typedefs.
  clang::QualType plain(clang::QualType T) const {
    T = T.getLocalUnqualifiedType();
    while (!llvm::isa<clang::TypedefType>(T.getTypePtr())) {
      clang::QualType Next = T.getSingleStepDesugaredType(Context).getLocalUnqualifiedType();
      if (Next == T)
        break;
      T = Next;
    }
    return T;
  }

  uint32_t declare(clang::QualType T) {
    if (T.isNull())
      return 0;
    T = plain(T);
    auto [It, New] = Known.try_emplace(T.getAsOpaquePtr(), static_cast<uint32_t>(Types.size()));
    if (New) {
      Types.emplace_back();
      Undefined.push_back({T, It->second});
    }
    return It->second;
  }

  uint32_t sizeOf(clang::QualType T) const {
    if (T->isIncompleteType() || T->isFunctionType() || T->isVariableArrayType() || T->isSizelessType())
      return 0;
    auto Bytes = static_cast<uint64_t>(Context.getTypeSizeInChars(T).getQuantity());
    return static_cast<uint32_t>(std::min<uint64_t>(Bytes, std::numeric_limits<uint32_t>::max()));
  }

  SourceType define(clang::QualType T) {
    SourceType Made;
    Made.Name = T.getAsString(Policy);
    Made.Size = sizeOf(T);
    clang::QualType Real = T.getCanonicalType().getUnqualifiedType();
    if (auto *Atomic = Real->getAs<clang::AtomicType>())
      Real = Atomic->getValueType().getCanonicalType().getUnqualifiedType();

    if (Real->isPointerType()) {
      Made.What = SourceType::Pointer;
      Made.Element = declare(pointeeOf(T));
    } else if (auto *Array = Context.getAsArrayType(Real)) {
      Made.What = SourceType::Array;
      Made.Element = declare(elementOf(T, Array));
    } else if (auto *Tag = Real->getAs<clang::EnumType>()) {
      defineEnum(Tag->getDecl()->getDefinitionOrSelf(), Made);
    } else if (auto *Tag = Real->getAs<clang::RecordType>()) {
      defineRecord(Tag->getDecl()->getDefinitionOrSelf(), Made);
    } else if (auto *Basic = Real->getAs<clang::BuiltinType>()) {
      Made.What = kindOf(*Basic);
    }
    return Made;
  }

  /// Through typedefs and _Atomic, but with the pointee as it is written.
  clang::QualType pointeeOf(clang::QualType T) const {
    if (auto *Atomic = T->getAs<clang::AtomicType>())
      T = Atomic->getValueType();
    return T->getPointeeType();
  }

  clang::QualType elementOf(clang::QualType T, const clang::ArrayType *Real) const {
    auto *Written = Context.getAsArrayType(T);
    return (Written ? Written : Real)->getElementType();
  }

  static SourceType::Kind kindOf(const clang::BuiltinType &T) {
    if (T.getKind() == clang::BuiltinType::Bool)
      return SourceType::Bool;
    // Only plain char is meant for text; the other two are small numbers (int8_t, uint8_t).
    if (T.getKind() == clang::BuiltinType::Char_S || T.getKind() == clang::BuiltinType::Char_U)
      return SourceType::Char;
    if (T.isSignedInteger())
      return SourceType::Signed;
    if (T.isUnsignedInteger())
      return SourceType::Unsigned;
    if (T.isFloatingPoint())
      return SourceType::Float;
    return SourceType::Unknown;
  }

  static void defineEnum(const clang::EnumDecl *Declaration, SourceType &Made) {
    Made.What = SourceType::Enum;
    for (const clang::EnumConstantDecl *Constant : Declaration->enumerators())
      Made.Enumerators.push_back(
          {static_cast<int64_t>(Constant->getInitVal().extOrTrunc(64).getZExtValue()), Constant->getNameAsString()});
  }

  /// Names that belong to the C library: their types are internal to it.
  static bool isReserved(const clang::NamedDecl &D) {
    llvm::StringRef Name = D.getName();
    return Name.starts_with("__") || (Name.size() > 1 && Name[0] == '_' && Name[1] >= 'A' && Name[1] <= 'Z');
  }

  void defineRecord(const clang::RecordDecl *Declaration, SourceType &Made) {
    Made.What = Declaration->isUnion() ? SourceType::Union : SourceType::Struct;
    if (!Declaration->isCompleteDefinition() || Declaration->isInvalidDecl())
      return;
    if (Context.getSourceManager().isInSystemHeader(Declaration->getLocation()) &&
        llvm::any_of(Declaration->fields(), [](auto *Field) { return isReserved(*Field); })) {
      // pthread_mutex_t and the like are opaque. A wrapper of one value is that value: atomic_flag.
      auto First = Declaration->field_begin();
      clang::QualType Only = (*First)->getType();
      if (std::next(First) == Declaration->field_end() && Only->isAtomicType() && sizeOf(Only) == Made.Size)
        if (auto *Basic = Only->getAs<clang::AtomicType>()->getValueType()->getAs<clang::BuiltinType>())
          Made.What = kindOf(*Basic);
      return;
    }
    const clang::ASTRecordLayout &Layout = Context.getASTRecordLayout(Declaration);
    for (const clang::FieldDecl *Field : Declaration->fields()) {
      if (Field->isUnnamedBitField())
        continue;
      uint64_t Bit = Layout.getFieldOffset(Field->getFieldIndex());
      SourceType::Field New;
      New.Name = Field->getNameAsString();
      New.Type = declare(Field->getType());
      New.Offset = static_cast<uint32_t>(Bit / 8);
      if (Field->isBitField()) {
        New.BitWidth = Field->getBitWidthValue();
        placeBitField(Bit, sizeOf(Field->getType()), New);
      }
      Made.Fields.push_back(std::move(New));
    }
  }

  /// In the unit of its type that contains it, or where none does (packed) from the byte it begins in.
  static void placeBitField(uint64_t Bit, uint64_t UnitBytes, SourceType::Field &Field) {
    uint64_t Start = UnitBytes == 0 ? Bit / 8 : Bit / (UnitBytes * 8) * UnitBytes;
    if (Bit - Start * 8 + Field.BitWidth > UnitBytes * 8)
      Start = Bit / 8;
    Field.Offset = static_cast<uint32_t>(Start);
    Field.BitOffset = static_cast<uint32_t>(Bit - Start * 8);
  }

  clang::ASTContext &Context;
  std::vector<SourceType> &Types;
  clang::PrintingPolicy Policy;
  llvm::DenseMap<void *, uint32_t> Known;
  std::vector<std::pair<clang::QualType, uint32_t>> Undefined;
};

} // namespace picket
